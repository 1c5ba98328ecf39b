/**
 * Replacement for a coordinate that is not a number. Drivers read `x` as 0 and `2abc` as 2, but this as infinity, which is
 * reported as a bad feature.
 */
const noNumber = '1e999'

const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`
const numberPattern = new RegExp(`^${number}$`)
/** The height may be empty. */
const tuplePattern = new RegExp(`^${number},${number}(?:,(?:${number})?)?$`)

/** Elements with positions as text, and tags with a position in their attributes. */
const opening = /<(?:[\w.-]+:)?(?:(coordinates|posList|pos|coord)\b([^>]*)>|(wpt|rtept|trkpt)\b([^>]*)>)/g

/** A processed chunk of XML. */
export interface MarkedXml {
  /** The chunk, with invalid numbers marked. */
  readonly done: string
  /** Start of what continues in the next chunk. */
  readonly rest: string
}

/**
 * Marks coordinates that are not numbers in a chunk of KML, GML or GPX, as ISO 8859-1.
 *
 * @see OGC 12-007r2 (KML) kml:coordinates; OGC 07-036 (GML) clause 10.1.4; https://www.topografix.com/GPX/1/1
 */
export function markPositions(text: string): MarkedXml {
  const parts: string[] = []
  let from = 0
  opening.lastIndex = 0
  for (let tag = opening.exec(text); tag !== null; tag = opening.exec(text)) {
    const start = opening.lastIndex
    const [whole, element, attributes = '', , pointAttributes] = tag
    if (element === undefined) {
      const marked = markAttributes(whole, pointAttributes ?? '')
      if (marked !== whole) {
        parts.push(text.slice(from, tag.index), marked)
        from = start
      }
      continue
    }
    if (attributes.endsWith('/')) continue
    const end = text.indexOf('<', start)
    if (end < 0) return { done: parts.join('') + text.slice(from, tag.index), rest: text.slice(tag.index) }
    const content = text.slice(start, end)
    const marked = element === 'coordinates' ? markTuples(content, attributes) : markNumbers(content)
    if (marked !== content) {
      parts.push(text.slice(from, start), marked)
      from = end
    }
    opening.lastIndex = end
  }
  // An unclosed tag may continue in the next chunk.
  const open = text.lastIndexOf('<')
  const until = open >= from && text.indexOf('>', open) < 0 ? open : text.length
  parts.push(text.slice(from, until))
  return { done: parts.join(''), rest: text.slice(until) }
}

/** Marks positions separated by spaces, with commas between numbers. Other separators are left to GDAL. */
function markTuples(content: string, attributes: string): string {
  const isUsual = [...attributes.matchAll(/\b(decimal|cs|ts)\s*=\s*["']([^"']*)["']/g)].every(
    ([, name, value]) => value === { decimal: '.', cs: ',', ts: ' ' }[name ?? ''],
  )
  if (!isUsual) return content
  if (!content.includes(',')) return markNumbers(content)
  const tuples = content
    .trim()
    .replaceAll(/\s*,\s*/g, ',')
    .split(/\s+/)
  if (tuples.every((tuple) => tuplePattern.test(tuple))) return content
  return tuples.map((tuple) => (tuplePattern.test(tuple) ? tuple : `${noNumber},${noNumber}`)).join(' ')
}

/** Marks invalid numbers in a list separated by spaces or commas. */
function markNumbers(content: string): string {
  const numbers = content.split(/[\s,]+/).filter((one) => one !== '')
  if (numbers.every((one) => numberPattern.test(one))) return content
  return numbers.map((one) => (numberPattern.test(one) ? one : noNumber)).join(' ')
}

function markAttributes(tag: string, attributes: string): string {
  let marked = tag
  for (const name of ['lat', 'lon']) {
    const found = new RegExp(String.raw`\s${name}\s*=\s*["']([^"']*)["']`).exec(attributes)
    if (found === null) marked = marked.replace(/\s*\/?>$/, (end) => ` ${name}="${noNumber}"${end}`)
    else if (!numberPattern.test(found[1]?.trim() ?? '')) {
      marked = marked.replace(found[0], ` ${name}="${noNumber}"`)
    }
  }
  return marked
}
