import { readXml, type XmlElement } from './xml/xml_read.ts'

/** Maximum sizes of the SVG image of a marker: characters, elements as they are drawn, width and height, and their product. */
const limits = { characters: 2 ** 20, elements: 10_000, side: 1e6, area: 1e10 }

/** An SVG image that can be drawn, or why it is not. */
type ReadImage = (SvgMeasure & { readonly root: XmlElement }) | { readonly refused: string }

/** What drawing an SVG image takes. */
export interface SvgMeasure {
  /** Number of its elements as they are drawn. */
  readonly elements: number
  /** Work of its filters for each pixel, in pixels that are blended. */
  readonly filterWork: number
}

/** Measures the SVG image of a marker; undefined if it is not drawn. */
export function measureSvg(svg: string): SvgMeasure | undefined {
  const image = readImage(svg)
  return 'refused' in image ? undefined : image
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
  const [width, height] = sizeOf(root)
  if (width > limits.side || height > limits.side || width * height > limits.area)
    return refuse(`its image has ${width} × ${height} pixels; the limit is 100000 × 100000`)
  const elements = countDrawn(root, () => 1)
  if (elements === Number.POSITIVE_INFINITY) return refuse('an element of its image refers to itself')
  if (elements > limits.elements)
    return refuse(`its image has ${elements} elements as they are drawn; the limit is ${limits.elements}`)
  return { root, elements, filterWork: filterWorkOf(root) }
}

const pixelsPerUnit: Readonly<Record<string, number>> = {
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
  pt: 96 / 72,
  pc: 16,
}

/** Returns the width and height of an image in pixels: those of its view box, unless it has its own. */
function sizeOf({ attributes }: XmlElement): readonly [width: number, height: number] {
  const textOf = (name: string) => attributes.find((one) => one.name === name)?.value.trim() ?? ''
  const [, , boxWidth, boxHeight] = textOf('viewBox')
    .split(/[\s,]+/)
    .map(Number)
  const side = (name: string, byDefault: number | undefined) => {
    const [, number, unit = ''] = /^([\d.]+(?:e[-+]?\d+)?)(px|mm|cm|in|pt|pc|)$/i.exec(textOf(name)) ?? []
    return number === undefined ? byDefault || 0 : Number(number) * (pixelsPerUnit[unit] ?? 1)
  }
  return [side('width', boxWidth), side('height', boxHeight)]
}

/** Work of filters for each pixel. Each looks at every pixel of the image; some look at many others for each. */
const filterWeights: Readonly<Record<string, number>> = {
  ...{ feMorphology: 500, feConvolveMatrix: 500, feTurbulence: 100 },
  ...{ feDiffuseLighting: 50, feSpecularLighting: 50 },
}

function filterWorkOf(root: XmlElement): number {
  const weigh = ({ name }: XmlElement) =>
    filterWeights[localName({ name })] ?? (/^fe[A-Z]/.test(localName({ name })) ? 10 : 0)
  const work = countDrawn(root, weigh)
  // A style sheet may apply a filter to every element.
  return hasStyledFilter(root) ? work * countAll(root) : work
}

function hasStyledFilter(element: XmlElement): boolean {
  const isStyled = localName(element) === 'style' && /filter\s*:/.test(element.text)
  return isStyled || element.children.some(hasStyledFilter)
}

const countAll = ({ children }: XmlElement): number =>
  children.reduce((count, child) => count + countAll(child), 1)

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
 * Weighs the elements of an SVG image as they are drawn: those that `use`, patterns, masks or clip paths refer to are counted
 * again at each reference. Infinity if an element refers to itself.
 */
function countDrawn(root: XmlElement, weigh: (element: XmlElement) => number): number {
  const ids = new Map<string, XmlElement>()
  addIds(root, ids)
  const counts = new Map<XmlElement, number>()
  const count = (element: XmlElement): number => {
    const known = counts.get(element)
    if (known !== undefined) return known
    // Found again while it is counted, an element refers to itself.
    counts.set(element, Number.POSITIVE_INFINITY)
    const referred = referencesOf(element).flatMap((id) => ids.get(id) ?? [])
    const sum = [...element.children, ...referred].reduce((total, one) => total + count(one), weigh(element))
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
