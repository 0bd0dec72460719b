package course

// Computing is the part of the standard library that computes, and reaches neither
// files nor other programs nor the network nor the system: all such packages, those that
// a step has no use for as well. A step may use less; then its stub names what it may not
// use. Of log it may not use Output, which names the line of whoever called it, and of whom
// that was called by: the grader's own, which would tell what is being asked.
//
// A method that is refused may still be reached by an interface of the standard library, as
// os.File.Seek is by io.Seeker. Who has no files has only two to call it on, the output and
// the errors of the program, which are pipes and know no places.
func Computing() Uses {
	u := Uses{
		"log": words(`Default Fatal Fatalf Fatalln Flags LUTC Ldate Llongfile Lmicroseconds Lmsgprefix Logger Lshortfile
			LstdFlags Ltime New Panic Panicf Panicln Prefix Print Printf Println SetFlags SetOutput SetPrefix Writer
			Logger.Fatal Logger.Fatalf Logger.Fatalln Logger.Flags Logger.Panic Logger.Panicf Logger.Panicln Logger.Prefix
			Logger.Print Logger.Printf Logger.Println Logger.SetFlags Logger.SetOutput Logger.SetPrefix Logger.Writer`),
		"os":            words(`Stdout Stderr File File.Close File.Name File.Sync File.Write File.WriteString`),
		"path/filepath": words(`Abs Base Clean Dir Ext FromSlash IsAbs Join Match Rel Separator Split ToSlash`),
		"runtime": words(`Error Error.* GC GOARCH GOMAXPROCS GOOS Gosched KeepAlive MemStats MemStats.* NumCPU NumGoroutine
			ReadMemStats Version`),
	}
	for _, whole := range words(`bufio bytes cmp
		compress/bzip2 compress/flate compress/gzip compress/lzw compress/zlib
		container/heap container/list container/ring context
		crypto crypto/aes crypto/cipher crypto/des crypto/hkdf crypto/hmac crypto/md5 crypto/pbkdf2 crypto/rc4
		crypto/sha1 crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle
		encoding encoding/ascii85 encoding/asn1 encoding/base32 encoding/base64 encoding/binary encoding/csv
		encoding/gob encoding/hex encoding/json encoding/pem encoding/xml errors fmt
		go/ast go/build/constraint go/constant go/doc go/doc/comment go/format go/printer go/scanner go/token go/types
		go/version hash hash/adler32 hash/crc32 hash/crc64 hash/fnv hash/maphash html
		image image/color image/color/palette image/draw image/gif image/jpeg image/png index/suffixarray
		io io/fs iter maps math math/big math/bits math/cmplx math/rand math/rand/v2 mime/quotedprintable
		net/mail net/netip net/url path regexp regexp/syntax simd/archsimd slices sort strconv strings structs sync sync/atomic
		text/scanner text/tabwriter text/template/parse time time/tzdata unicode unicode/utf16 unicode/utf8 unique weak`) {
		u[whole] = []string{"*"}
	}
	return u
}
