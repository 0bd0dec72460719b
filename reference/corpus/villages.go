package corpus

import (
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

// Villages returns at least chars characters of stories about the village in two
// languages, English and Chinese, in any order, each as Village tells them. The same seed
// gives the same text.
func Villages(seed uint64, chars int) string {
	rng := rand.New(rand.NewPCG(seed, 0x76696c6c61676573)) // "villages"
	story := bilingualStory()
	var out strings.Builder
	for n := 0; n < chars; {
		from := out.Len()
		story.draw(rng, nil, &out)
		n += utf8.RuneCountInString(out.String()[from:])
	}
	return out.String()
}

// VillagesEntropy returns the exact entropy of the text in nats per character; see
// VillageEntropy.
func VillagesEntropy() float64 {
	w := bilingualStory().measure(nil)
	return w.nats / w.chars
}

// Entropy returns the entropy of a corpus by name in nats per character, exactly, and 0 if it
// is not known.
func Entropy(name string) float64 {
	switch name {
	case VillageName:
		return VillageEntropy()
	case VillagesName:
		return VillagesEntropy()
	}
	return 0
}

// bilingualStory is one story in one of the languages. In both somebody may ask something,
// so that a model has seen what questions are made of.
func bilingualStory() node {
	asks := sequence{text("\""), choice{text("Who has seen my {thing}"), text("Where shall I look"), text("What did I do wrong")},
		text("?\" asked {name}.")}
	return choice{englishStory(append(events(), asks)), chineseStory()}
}

// chineseStory is a story in Chinese, of the same form as the English ones.
func chineseStory() node {
	return settle{chinesePeople(), settle{chinesePlaces(), settle{chineseThings(), sequence{
		chineseOpening(),
		repeat{0.7, chineseEvents()},
		chineseEnding(), text("\n\n"),
	}}}}
}

func chineseOpening() node {
	return sequence{
		choice{text("一天早晨"), text("很久以前"), text("深秋的时候"), text("一个寒冷的夜里"), text("收获之前")},
		text("，{name}"),
		chineseCompany(),
		text("{he}想要{one}。"),
	}
}

func chineseCompany() choice {
	return choice{text("去了{place}。"), text("和{kin}一起去了{place}。"), text("独自去了{place}。")}
}

// chineseEvents are sentences; their first characters tell which. They are those of events,
// in the same order, and a question.
func chineseEvents() choice {
	stranger := choice{text("磨坊主"), text("一个老兵"), text("面包师的妻子"), text("一个高个子的陌生人"),
		text("船夫"), text("两姐妹"), text("盲眼的琴师")}
	return choice{
		sequence{text("{he}向"), stranger, text("求助，可是"), choice{text("没有人回答"), text("天色太短"), text("有面包要烤"),
			text("路太长了"), text("那天赶集"), text("得到的回答是不")}, text("。")},
		sequence{text("在{place}{he}找到了"), choice{text("一无所有的空地"), text("一把钥匙"), text("三根羽毛"), text("一个空口袋"),
			text("脚印"), text("一条睡着的狗"), text("一封没有署名的信"), text("一些温热的灰")}, text("。")},
		sequence{text("后来"), choice{text("下起了雨"), text("风向变了"), text("下雪了"), text("月亮升起来了"), text("来了暴风雨"),
			text("起雾了")}, text("，{name}"), choice{text("继续往前走"), text("在树下等着"), text("唱歌取暖"), text("迷了路"),
			text("大声笑了"), text("数着星星")}, text("。")},
		sequence{text("“{thing}"), choice{text("用银子买不到"), text("值得走一段长路"), text("从来不在你找的地方"),
			text("只和它的主人一样好"), text("很容易丢")}, text("。”"), stranger, text("说。")},
		sequence{text("{name}想起了{kin}，"), choice{text("笑了"), text("很难过"), text("走得更快了"), text("吃了最后一个苹果"),
			text("没有回头")}, text("。")},
		sequence{text("“"), choice{text("谁看见我的{thing}了"), text("哪里还能找"), text("我还能做什么")}, text("？”{name}问。")},
	}
}

// chineseEnding closes a story; 最后 begins no event.
func chineseEnding() node {
	return sequence{text("最后{he}"), choice{
		text("把{thing}带回家给了{kin}。"),
		text("在自己的床下找到了{thing}。"),
		text("把{thing}送了人，心里很高兴。"),
		text("再也没有见过{place}。"),
		text("结了婚，忘了{thing}。"),
	}}
}

func chinesePeople() []map[string]string {
	person := func(name, he, kin string) map[string]string {
		return map[string]string{"name": name, "he": he, "kin": kin}
	}
	return []map[string]string{
		person("安娜", "她", "弟弟"), person("汤姆", "他", "母亲"), person("米拉", "她", "父亲"), person("老帕维尔", "他", "儿子"),
		person("格蕾塔", "她", "妹妹"), person("铁匠约恩", "他", "女儿"), person("小雷恩", "她", "祖母"), person("巴多罗买", "他", "叔叔"),
	}
}

func chinesePlaces() []map[string]string {
	return named("place", "磨坊", "河边", "集市", "老桥", "森林", "水井", "教堂后的山坡", "港口")
}

func chineseThings() []map[string]string {
	thing := func(count, name string) map[string]string {
		return map[string]string{"thing": name, "one": count + name}
	}
	return []map[string]string{
		thing("一匹", "红马"), thing("一枚", "银戒指"), thing("一件", "暖和的大衣"), thing("一把", "新斧头"),
		thing("一盏", "灯"), thing("一首", "歌"), thing("一双", "靴子"), thing("一座", "说真话的钟"),
	}
}
