/**
 * Stands where a coordinate is not a number: drivers take `x` for 0 and `2abc` for 2, but of this they make infinity,
 * which is told as a bad feature, by its number.
 */
const noNumber = '1e999'

const number = String.raw`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`
const numberPattern = new RegExp(`^${number}$`)
/** A height may be left empty. */
const tuplePattern = new RegExp(`^${number},${number}(?:,(?:${number})?)?$`)

/** Elements that hold positions as text, and tags that hold one in their attributes. */
const opening = /<(?:[\w.-]+:)?(?:(coordinates|posList|pos|coord)\b([^>]*)>|(wpt|rtept|trkpt)\b([^>]*)>)/g

/** A piece of XML that was looked at. */
export interface Looked {
  /** The piece, with what is no number marked. */
  readonly done: string
  /** Begins with what goes on behind the piece. */
  readonly rest: string
}

/**
 * Marks the coordinates that are no numbers in a piece of KML, GML or GPX, byte by byte as ISO 8859-1.
 *
 * @see OGC 12-007r2 (KML) kml:coordinates; OGC 07-036 (GML) clause 10.1.4; https://www.topografix.com/GPX/1/1
 */
export function markPositions(text: string): Looked {
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
  // A tag that is not closed may go on behind the piece.
  const open = text.lastIndexOf('<')
  const until = open >= from && text.indexOf('>', open) < 0 ? open : text.length
  parts.push(text.slice(from, until))
  return { done: parts.join(''), rest: text.slice(until) }
}

/** Positions with spaces between them, and commas in them. Other ways to separate them are left to GDAL. */
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

/** Marks what is no number in numbers with spaces or commas between them. */
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
