import { readXml, type XmlElement } from '../../style/xml/xml_read.ts'

/**
 * Counts the elements of an SVG image as they are drawn: those that `use`, patterns, masks or clip paths refer to are counted
 * again at each reference. Infinity if the image is not XML or an element refers to itself.
 */
export function drawnElements(svg: string): number {
  const { root } = readXml(svg.replace(/^\uFEFF/, ''), 'svg', { allowDoctype: true })
  if (root === undefined) return Number.POSITIVE_INFINITY
  const ids = new Map<string, XmlElement>()
  addIds(root, ids)
  const counts = new Map<XmlElement, number>()
  const count = (element: XmlElement): number => {
    const known = counts.get(element)
    if (known !== undefined) return known
    // Found again while it is counted, an element refers to itself.
    counts.set(element, Number.POSITIVE_INFINITY)
    const referred = referencesOf(element).flatMap((id) => ids.get(id) ?? [])
    const sum = [...element.children, ...referred].reduce((total, one) => total + count(one), 1)
    counts.set(element, sum)
    return sum
  }
  return count(root)
}

function addIds(element: XmlElement, ids: Map<string, XmlElement>): void {
  const id = element.attributes.find(({ name }) => name === 'id')
  if (id !== undefined) ids.set(id.value, element)
  for (const child of element.children) addIds(child, ids)
}

/** Lists the ids in `href="#id"` and `url(#id)`. */
function referencesOf({ attributes, text }: XmlElement): string[] {
  const values = [...attributes.map(({ value }) => value), text]
  return [...attributes.flatMap(hrefOf), ...values.flatMap(urlsOf)]
}

function hrefOf({ name, value }: { readonly name: string; readonly value: string }): string[] {
  const isReference = /^(?:\w+:)?href$/.test(name) && value.trimStart().startsWith('#')
  return isReference ? [value.trim().slice(1)] : []
}

const urlsOf = (value: string) =>
  [...value.matchAll(/url\(\s*["']?#([^"')\s]+)/g)].flatMap(([, id]) => id ?? [])
