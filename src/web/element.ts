/** Attributes of an element by name; functions are event listeners, false and undefined omit the attribute. */
export type Attributes = Readonly<
  Record<string, string | number | boolean | undefined | ((event: Event) => void)>
>

/** Content of an element: nodes, and text, which is never parsed as markup. */
export type Content = Node | string

/** Creates an HTML element. */
export function element<N extends keyof HTMLElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...content: Content[]
): HTMLElementTagNameMap[N] {
  const made = document.createElement(name)
  fill(made, attributes, content)
  return made
}

/** Creates an SVG element. */
export function svgElement<N extends keyof SVGElementTagNameMap>(
  name: N,
  attributes: Attributes = {},
  ...content: Content[]
): SVGElementTagNameMap[N] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  fill(made, attributes, content)
  return made
}

/** Creates a button with an icon and an accessible name. */
export function iconButton(label: string, path: string, onClick: () => void): HTMLButtonElement {
  const icon = svgElement(
    'svg',
    { viewBox: '0 0 20 20', width: 20, height: 20, 'aria-hidden': 'true' },
    svgElement('path', { d: path }),
  )
  return element(
    'button',
    { type: 'button', class: 'icon', 'aria-label': label, title: label, click: onClick },
    icon,
  )
}

/** Parses HTML that the server has sanitized. */
export function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}

function fill(made: Element, attributes: Attributes, content: readonly Content[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name, value)
    else if (value === true) made.setAttribute(name, '')
    else if (value !== false && value !== undefined) made.setAttribute(name, String(value))
  }
  made.append(...content)
}
