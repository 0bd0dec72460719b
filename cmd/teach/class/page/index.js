// A click on a heading sorts the class by that column; another one turns it round.
const table = document.getElementById("class");
const heads = [...table.tHead.rows[0].cells];
const value = (row, i) => {
	const text = row.cells[i].textContent.trim();
	const number = Number(text);
	return text !== "" && !Number.isNaN(number) ? number : i === 0 ? text : -1;
};
heads.forEach((head, i) => head.querySelector("button")?.addEventListener("click", () => {
	const up = head.ariaSort ? head.ariaSort === "descending" : i === 0;
	heads.forEach((other) => other.removeAttribute("aria-sort"));
	head.ariaSort = up ? "ascending" : "descending";
	const rows = [...table.tBodies[0].rows].sort((a, b) => {
		const x = value(a, i), y = value(b, i);
		const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
		return up ? order : -order;
	});
	table.tBodies[0].append(...rows);
}));
