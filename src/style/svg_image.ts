import { readXml, type XmlElement } from './xml/xml_read.ts'

/** Maximum sizes of the SVG image of a marker: characters, and elements as they are drawn. */
const limits = { characters: 2 ** 20, elements: 10_000 }

/** An SVG image that can be drawn, or why it is not. */
type ReadImage = { readonly root: XmlElement; readonly elements: number } | { readonly refused: string }

/** Counts the elements of the SVG image of a marker as they are drawn; undefined if it is not drawn. */
export function countSvgElements(svg: string): number | undefined {
  const image = readImage(svg)
  return 'refused' in image ? undefined : image.elements
}

/** Lists what of the SVG image of a marker is not drawn as it says, as messages: programs and other files are left out. */
export function listSvgFaults(svg: string): readonly string[] {
  const image = readImage(svg)
  if ('refused' in image) return [`an SVG marker is not drawn: ${image.refused}`]
  return [...new Set(faultsIn(image.root))]
}

function readImage(svg: string): ReadImage {
  const refuse = (refused: string) => ({ refused })
  if (svg.length > limits.characters)
    return refuse(`its image has ${svg.length} characters; the limit is ${limits.characters}`)
  const { root, issues } = readXml(svg.replace(/^\uFEFF/, ''), 'svg', { allowDoctype: true })
  if (root === undefined)
    return refuse(`its image is not valid XML: ${issues[0]?.message ?? 'unknown fault'}`)
  if (localName(root) !== 'svg') return refuse(`its image is <${root.name}>, not <svg>`)
  const elements = drawnElements(root)
  if (elements === Number.POSITIVE_INFINITY) return refuse('an element of its image refers to itself')
  if (elements > limits.elements)
    return refuse(`its image has ${elements} elements as they are drawn; the limit is ${limits.elements}`)
  return { root, elements }
}

const localName = ({ name }: Pick<XmlElement, 'name'>) => name.slice(name.indexOf(':') + 1)

/** Maximum length of a reference in a message. */
const shownLength = 80

/** Lists the scripts and the references to other files in an element. */
function faultsIn(element: XmlElement): string[] {
  const isScript = localName(element) === 'script'
  const hasEvents = element.attributes.some(({ name }) => /^on[a-z]+$/.test(name))
  const scripts = isScript || hasEvents ? ['scripts of an SVG marker are not run'] : []
  const external = externalReferences(element).map(
    (reference) =>
      `an SVG marker is drawn without "${reference.slice(0, shownLength)}", which is not embedded`,
  )
  return [...scripts, ...external, ...element.children.flatMap(faultsIn)]
}

/** Lists the references of an element to other files. Links have no effect on the drawing. */
function externalReferences(element: XmlElement): string[] {
  const { attributes, text } = element
  const name = localName(element)
  if (name === 'metadata') return []
  const hrefs = attributes.filter(({ name: attribute }) => localName({ name: attribute }) === 'href')
  const values = [...attributes.map(({ value }) => value), ...(name === 'style' ? [text] : [])]
  const urls = values.flatMap((value) => [
    ...[...value.matchAll(/url\(\s*["']?([^"')]+)/g)].flatMap(([, url]) => url ?? []),
    ...[...value.matchAll(/@import\s+["']([^"']+)/g)].flatMap(([, url]) => url ?? []),
  ])
  return [...(name === 'a' ? [] : hrefs.map(({ value }) => value)), ...urls]
    .map((reference) => reference.trim())
    .filter((reference) => reference !== '' && !/^(#|data:)/i.test(reference))
}

/**
 * Counts the elements of an SVG image as they are drawn: those that `use`, patterns, masks or clip paths refer to are counted
 * again at each reference. Infinity if an element refers to itself.
 */
function drawnElements(root: XmlElement): number {
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
