/** Elements that a description keeps; of others only what is inside. */
const kept = new Set(['A', 'B', 'BR', 'CODE', 'EM', 'I', 'LI', 'OL', 'P', 'STRONG', 'SUB', 'SUP', 'U', 'UL'])

/** Elements that are left out with all that is inside. */
const dropped = new Set([
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'IFRAME',
  'OBJECT',
  'SVG',
  'MATH',
  'TITLE',
  'NOSCRIPT',
])

/** Gives what is harmless of a description written in HTML: text, its structure, and links to the web. */
export function readDescription(html: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  // A parsed document is inert: nothing in it runs or is fetched.
  copyNodes(new DOMParser().parseFromString(html, 'text/html').body, fragment)
  return fragment
}

function copyNodes(from: Node, to: Node): void {
  for (const node of from.childNodes) {
    if (node instanceof Text) to.appendChild(document.createTextNode(node.data))
    else if (node instanceof Element) copyElement(node, to)
  }
}

function copyElement(from: Element, to: Node): void {
  const name = from.tagName.toUpperCase()
  if (dropped.has(name)) return
  copyNodes(from, kept.has(name) ? to.appendChild(copyTag(from, name)) : to)
}

function copyTag(from: Element, name: string): HTMLElement {
  const copy = document.createElement(name.toLowerCase())
  if (copy instanceof HTMLAnchorElement) copyLink(from, copy)
  return copy
}

function copyLink(from: Element, copy: HTMLAnchorElement): void {
  const href = from.getAttribute('href') ?? ''
  if (!/^(https?:|mailto:)/i.test(href)) return
  copy.href = href
  copy.target = '_blank'
  copy.rel = 'noopener noreferrer'
}
