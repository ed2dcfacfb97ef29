/* An editor over each text area with HTML (data-editor), which keeps what is sent and stays usable by
   itself. Nothing gets into the page but what the server's sanitizer allows, which data-editor lists. */
"use strict";

(() => {
  const BLOCKS = new Set("p h1 h2 h3 h4 h5 h6 ul ol dl blockquote pre figure table hr div address".split(" "));
  const TOOLS = [
    ["Bold (Ctrl+B)", "B", "bold"],
    ["Italic (Ctrl+I)", "I", "italic"],
    ["Heading", "H", "heading"],
    ["Bulleted list", "•", "insertUnorderedList"],
    ["Numbered list", "1.", "insertOrderedList"],
    ["Quote", "“ ”", "quote"],
    ["Link (Ctrl+K)", "Link", "link"],
    ["Undo (Ctrl+Z)", "↶", "undo"],
    ["Redo", "↷", "redo"],
    ["Edit as HTML", "HTML", "source"],
  ];

  /* Of what is pasted, the structure is kept and the look is not. */
  const RENAMED = { b: "strong", i: "em" };
  const PASTED = { h1: "h2" }; // the title of the page is its only h1
  const PASTED_ATTRIBUTES = new Set(["href", "start", "colspan", "rowspan"]);
  const UNPASTED_TAGS = new Set(["img", "span", "font", "figure", "div"]);
  const SECTIONS = new Set("div section article header footer main aside nav center form fieldset".split(" "));
  const SILENT = new Set(["script", "style", "title", "template", "noscript", "iframe", "object"]);

  class Allowed {
    constructor({ tags, attributes, schemes }) {
      this.tags = new Set(tags);
      this.attributes = attributes;
      this.schemes = schemes.map((scheme) => `${scheme}:`);
    }

    address(text) {
      try {
        return this.schemes.includes(new URL(text, "https://relative.invalid").protocol);
      } catch {
        return false;
      }
    }

    /* Return the body of a document of its own, in which nothing runs, with what is allowed in html. */
    parse(html, { isPasted = false } = {}) {
      const { body } = new DOMParser().parseFromString(html, "text/html");
      if (isPasted) makeLists(body);
      this.reduce(body, isPasted);
      return tidied(body);
    }

    reduce(parent, isPasted) {
      for (const node of [...parent.childNodes]) {
        if (node.nodeType === Node.TEXT_NODE) continue;
        if (node.nodeType !== Node.ELEMENT_NODE || SILENT.has(node.localName)) {
          node.remove();
          continue;
        }
        this.reduce(node, isPasted);
        const name = this.newName(node, isPasted);
        if (!name) unwrap(node);
        else this.reduceAttributes(name === node.localName ? node : rename(node, name), isPasted);
      }
    }

    newName(node, isPasted) {
      const name = node.localName;
      if (node.namespaceURI !== "http://www.w3.org/1999/xhtml") return "";
      if (isPasted && SECTIONS.has(name)) return [...node.children].some(isBlock) ? "" : "p";
      if (isPasted && name === "b" && node.style.fontWeight === "normal") return "";
      if (isPasted && name === "span" && Number(node.style.fontWeight) >= 600) return "strong";
      if (!this.tags.has(name) || (isPasted && UNPASTED_TAGS.has(name))) return "";
      return (isPasted && PASTED[name]) || RENAMED[name] || name;
    }

    reduceAttributes(node, isPasted) {
      const known = new Set([...this.attributes["*"], ...(this.attributes[node.localName] || [])]);
      for (const { name, value } of [...node.attributes]) {
        const isAddress = ["href", "src", "cite"].includes(name);
        const isKept = known.has(name) && (!isPasted || PASTED_ATTRIBUTES.has(name));
        if (!isKept || (isAddress && !this.address(value))) node.removeAttribute(name);
      }
    }
  }

  const isBlock = (node) => BLOCKS.has(node.localName);

  function rename(node, name) {
    const renamed = node.ownerDocument.createElement(name);
    for (const { name: key, value } of node.attributes) renamed.setAttribute(key, value);
    renamed.append(...node.childNodes);
    node.replaceWith(renamed);
    return renamed;
  }

  const unwrap = (node) => node.replaceWith(...node.childNodes);

  /* Make lists of those that Word writes as paragraphs, each with its sign or number as text. */
  function makeLists(root) {
    for (const sign of root.querySelectorAll('p [style*="mso-list:ignore" i]')) {
      const line = sign.closest("p"), before = line.previousElementSibling;
      const kind = /\w[.)]/.test(sign.textContent) ? "ol" : "ul";
      const list = before?.matches(`${kind}[data-word]`) ? before : root.ownerDocument.createElement(kind);
      list.dataset.word = "";
      sign.remove();
      line.innerHTML = line.innerHTML.replace(/^(?:\s|<!--[^]*?-->)+/, "");
      if (list !== before) line.before(list);
      list.append(rename(line, "li"));
    }
  }

  /* Mend what browsers make while people edit: blocks within paragraphs, lines in none, empty tags. */
  function tidied(root) {
    for (const node of [...root.querySelectorAll("p, span, a")]) {
      if (node.localName === "p" ? [...node.children].some(isBlock) : !node.attributes.length) unwrap(node);
    }
    wrapLines(root);
    for (const node of root.querySelectorAll("p, h1, h2, h3, h4, h5, h6, li, blockquote")) {
      if (node.lastChild?.localName === "br") node.lastChild.remove();
      if (!node.attributes.length && !node.textContent.trim() && !node.querySelector("img, hr")) node.remove();
    }
    return root;
  }

  function wrapLines(root) {
    let line = null;
    for (const node of [...root.childNodes]) {
      if (isBlock(node)) line = null;
      else if (!line && !node.textContent.trim() && node.localName !== "img") node.remove();
      else {
        if (!line) node.before((line = root.ownerDocument.createElement("p")));
        line.append(node);
      }
    }
  }

  const escaped = (text) => text.replace(/&(?!#?\w+;)/g, "&amp;").replace(/</g, "&lt;");

  function paragraphs(text) {
    const found = text.split(/(?:\r?\n[ \t]*){2,}/).filter((each) => each.trim());
    return found.map((each) => `<p>${escaped(each.trim()).replace(/\r?\n/g, "<br>")}</p>`).join("");
  }

  /* As the server reads a text area: typed lines are paragraphs where there are no tags. */
  const asHtml = (value) => (/<[a-z/!]/i.test(value) || !value.includes("\n") ? value : paragraphs(value));

  class Editor {
    constructor(area) {
      this.area = area;
      this.allowed = new Allowed(JSON.parse(area.dataset.editor));
      this.frame = element("div", "prose-editor");
      area.before(this.frame);
      this.content = this.makeContent();
      this.toolbar = this.makeToolbar();
      this.link = this.makeLinkRow();
      this.frame.append(this.toolbar, this.link, this.content, area);
      this.load();
      this.show("content");
    }

    get name() {
      return this.label?.textContent.replace(/[\s:*]+$/, "").trim() || this.area.name;
    }

    makeContent() {
      const content = element("div", "prose-content", {
        contenteditable: "true", role: "textbox", "aria-multiline": "true", id: `${this.area.id}_editor`,
      });
      this.label = document.querySelector(`label[for="${this.area.id}"]`);
      content.setAttribute("aria-label", this.name);
      const described = this.area.getAttribute("aria-describedby");
      if (described) content.setAttribute("aria-describedby", described);
      content.style.minHeight = `${Math.max(this.area.rows, 3) * 1.5}em`;
      this.label?.addEventListener("click", (event) => {
        if (this.content.hidden) return;
        event.preventDefault();
        this.content.focus();
      });
      content.addEventListener("focus", () => this.begin());
      content.addEventListener("input", () => this.changed());
      content.addEventListener("beforeinput", (event) => this.insert(event));
      content.addEventListener("keydown", (event) => this.press(event));
      return content;
    }

    press(event) {
      const isLink = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      const isEnd = event.key === "Enter" && this.isIn("blockquote") && this.isIn("p")?.textContent === "";
      if (isLink || isEnd) event.preventDefault();
      if (isLink) this.askLink();
      if (isEnd) this.run("quote");
    }

    makeToolbar() {
      const toolbar = element("div", "prose-tools", { role: "toolbar", "aria-label": `Format: ${this.name}` });
      this.buttons = TOOLS.map(([title, sign, action], number) => {
        const button = makeButton(sign, () => this.run(action), { title, "aria-label": title });
        button.dataset.action = action;
        button.tabIndex = number ? -1 : 0;
        // A click must not take the selection away.
        button.addEventListener("mousedown", (event) => event.preventDefault());
        return button;
      });
      toolbar.append(...this.buttons);
      toolbar.addEventListener("keydown", (event) => this.walk(event));
      document.addEventListener("selectionchange", () => this.light());
      return toolbar;
    }

    /* Arrows go from tool to tool, as in any toolbar; Tab leaves it. */
    walk(event) {
      const usable = this.buttons.filter((button) => !button.disabled);
      const here = usable.indexOf(document.activeElement), last = usable.length - 1;
      const there = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last }[event.key];
      if (there === undefined) return;
      event.preventDefault();
      const button = usable[(there + usable.length) % usable.length];
      this.buttons.forEach((each) => { each.tabIndex = each === button ? 0 : -1; });
      button.focus();
    }

    makeLinkRow() {
      const row = element("div", "prose-link", { hidden: "" });
      const label = element("label", "", { for: `${this.area.id}_link` });
      label.textContent = "Address of the link";
      this.address = element("input", "", { id: label.htmlFor, type: "text", autocomplete: "off" });
      this.refusal = element("output", "event-hint");
      this.address.addEventListener("keydown", (event) => {
        if (event.key === "Escape") this.closeLink();
        if (event.key === "Enter") this.setLink();
        if (["Escape", "Enter"].includes(event.key)) event.preventDefault();
      });
      row.append(
        label, this.address, makeButton("Set link", () => this.setLink()),
        makeButton("Remove link", () => this.setLink(true)), this.refusal,
      );
      return row;
    }

    load() {
      this.content.replaceChildren(...this.allowed.parse(asHtml(this.area.value)).childNodes);
    }

    /* Return the HTML of what was edited. */
    html() {
      const copy = document.implementation.createHTMLDocument("").importNode(this.content, true);
      this.allowed.reduce(copy, false);
      return [...tidied(copy).children].map((each) => each.outerHTML).join("\n\n");
    }

    changed() {
      if (this.content.firstChild?.nodeType === Node.TEXT_NODE) document.execCommand("formatBlock", false, "p");
      this.content.querySelectorAll("[style]").forEach((each) => each.removeAttribute("style"));
      this.area.value = this.html();
      this.light();
    }

    begin() {
      document.execCommand("defaultParagraphSeparator", false, "p");
      document.execCommand("styleWithCSS", false, false);
      if (this.content.firstElementChild) return;
      this.content.append(element("p", ""));
      this.content.firstChild.append(document.createElement("br"));
      getSelection().collapse(this.content.firstChild, 0);
    }

    /* What is pasted or dropped is reduced before it gets in. */
    insert(event) {
      if (!["insertFromPaste", "insertFromDrop"].includes(event.inputType) || !event.dataTransfer) return;
      event.preventDefault();
      const html = event.dataTransfer.getData("text/html");
      const found = this.allowed.parse(html || paragraphs(event.dataTransfer.getData("text/plain")), { isPasted: true });
      const [only, ...others] = found.children;
      const inserted = !others.length && only?.localName === "p" ? only : found;
      if (inserted.innerHTML) document.execCommand("insertHTML", false, inserted.innerHTML);
    }

    run(action) {
      if (action === "source") return this.show(this.content.hidden ? "content" : "source");
      if (action === "link") return this.askLink();
      this.content.focus();
      if (action === "heading") document.execCommand("formatBlock", false, this.isIn("h2") ? "p" : "h2");
      else if (action === "quote") document.execCommand(this.isIn("blockquote") ? "outdent" : "indent");
      else document.execCommand(action);
      return this.changed();
    }

    isIn(tags) {
      const { anchorNode } = getSelection();
      const start = anchorNode?.nodeType === Node.TEXT_NODE ? anchorNode.parentElement : anchorNode;
      return this.content.contains(start) ? start.closest(tags) : null;
    }

    light() {
      if (!this.content.contains(getSelection().anchorNode)) return;
      const tags = { heading: "h2", quote: "blockquote", link: "a" };
      for (const button of this.buttons) {
        const { action } = button.dataset;
        if (["undo", "redo", "source"].includes(action)) continue;
        const isOn = tags[action] ? Boolean(this.isIn(tags[action])) : document.queryCommandState(action);
        button.setAttribute("aria-pressed", isOn);
      }
    }

    askLink() {
      const selection = getSelection(), link = this.isIn("a");
      if (!this.content.contains(selection.anchorNode)) return this.content.focus();
      if (link) selection.selectAllChildren(link);
      this.range = selection.getRangeAt(0);
      this.address.value = link?.getAttribute("href") || "";
      this.link.hidden = false;
      this.refusal.textContent = "";
      return this.address.focus();
    }

    setLink(isRemoved = false) {
      const address = completed(this.address.value.trim());
      if (!isRemoved && !(address && this.allowed.address(address))) {
        this.refusal.textContent = `“${this.address.value}” is not an address of a page, such as https://example.org, of mail or of a phone.`;
        return;
      }
      this.closeLink();
      if (isRemoved) document.execCommand("unlink");
      else if (this.range.collapsed) {
        const link = element("a", "", { href: address });
        link.textContent = this.address.value.trim();
        document.execCommand("insertHTML", false, link.outerHTML);
      } else document.execCommand("createLink", false, address);
      this.changed();
    }

    closeLink() {
      this.link.hidden = true;
      this.content.focus();
      getSelection().removeAllRanges();
      getSelection().addRange(this.range);
    }

    show(side) {
      const isSource = side === "source";
      if (isSource && !this.content.hidden) this.area.value = this.html();
      if (!isSource && this.content.hidden) this.load();
      this.content.hidden = isSource;
      this.area.hidden = !isSource;
      this.link.hidden = true;
      for (const button of this.buttons) {
        if (button.dataset.action === "source") button.setAttribute("aria-pressed", isSource);
        else button.disabled = isSource;
      }
      if (isSource) this.buttons.forEach((each) => { each.tabIndex = each.disabled ? -1 : 0; });
    }
  }

  /* Complete what people write for an address: example.org, or name@example.org. */
  function completed(text) {
    if (/^[^\s@:/]+@[^\s@]+\.[^\s@]+$/.test(text)) return `mailto:${text}`;
    return /^[\w-]+(\.[\w-]+)+(?=[:/?#]|$)/.test(text) ? `https://${text}` : text;
  }

  function element(name, className, attributes = {}) {
    const made = document.createElement(name);
    if (className) made.className = className;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function makeButton(text, action, attributes = {}) {
    const button = element("button", "", { type: "button", ...attributes });
    button.textContent = text;
    button.addEventListener("click", action);
    return button;
  }

  document.querySelectorAll("textarea[data-editor]").forEach((area) => new Editor(area));
})();
