import { JsonBytesFault, JsonValueBytes } from '../core/json_value_bytes.ts'
import { findFeatureFault, findGeojsonFault, type GeojsonFault } from '../geo/geojson_fault.ts'

/** The body is not JSON text; the message gives the reason. */
export class NotJsonFault extends Error {}

/** Maximum size of a value that is parsed at once: a feature, a geometry or another member of the document. */
const valueBytes = 8 * 2 ** 20
/** Parsing millions of levels takes seconds. */
const maxDepth = 200

/**
 * Reads a GeoJSON document feature by feature, without holding it in memory, and returns its first fault. A value of more
 * than 8 MiB counts as one.
 *
 * @throws {NotJsonFault} if the body is not JSON in UTF-8
 * @see RFC 7946, RFC 8259
 */
export async function findGeojsonStreamFault(
  chunks: AsyncIterable<Uint8Array>,
): Promise<GeojsonFault | undefined> {
  const reader = new GeojsonReader()
  try {
    for await (const chunk of chunks) reader.write(chunk)
    return reader.end()
  } catch (error) {
    if (!(error instanceof JsonBytesFault)) throw error
    if (error.reason === 'encoding') throw new NotJsonFault('it is not UTF-8')
    if (error.reason === 'depth') throw new NotJsonFault(`it nests more than ${maxDepth} levels deep`)
    return { path: reader.path, reason: `the value is larger than ${valueBytes} bytes` }
  }
}

/** Position between two values: what was read last, or what follows. */
type State =
  | 'start'
  | 'first name'
  | 'after name'
  | 'value'
  | 'after value'
  | 'name'
  | 'first feature'
  | 'after feature'
  | 'feature'
  | 'end'

/** Value whose bytes are being collected. */
type Part = 'document' | 'name' | 'member' | 'feature'

class GeojsonReader {
  readonly #value = new JsonValueBytes({ limitBytes: valueBytes, maxDepth })
  /** Members of the document that are checked; the features are replaced by an empty list. */
  readonly #members: Record<string, unknown> = Object.create(null)
  #document: unknown = this.#members
  #state: State = 'start'
  #part: Part | undefined
  #name = ''
  #features = 0
  #featureFault: GeojsonFault | undefined
  /** Bytes before the chunk, before the value, and of a byte order mark. */
  #offset = 0
  #valueOffset = 0
  #markBytes = 0

  write(chunk: Uint8Array): void {
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (this.#part !== undefined) {
        if (!this.#value.endsBefore(byte)) continue
        this.#finish(this.#part, chunk.subarray(from, at))
      }
      if (!this.#step(byte)) continue
      from = at
      this.#valueOffset = this.#offset + at
    }
    if (this.#part !== undefined) this.#value.keep(chunk.subarray(from))
    this.#offset += chunk.length
  }

  end(): GeojsonFault | undefined {
    if (this.#part === 'document') this.#finish('document', Buffer.of())
    if (this.#state !== 'end')
      throw new NotJsonFault(this.#offset === 0 ? 'it is empty' : 'it ends too early')
    const fault = findGeojsonFault(this.#document)
    return fault ?? (this.#members.type === 'FeatureCollection' ? this.#featureFault : undefined)
  }

  /** Names and indexes that lead to the value that is being read. */
  get path(): readonly (string | number)[] {
    if (this.#part === 'feature') return ['features', this.#features]
    return this.#part === 'member' ? [this.#name] : []
  }

  /** Reads one byte between values, and tells whether a value begins with it. */
  #step(byte: number): boolean {
    if (whiteSpace.has(byte) || this.#isMark(byte)) return false
    const { state, part } = findNext(this.#state, byte, this.#name)
    this.#state = state
    this.#part = part
    if (state === 'first feature') this.#startFeatures()
    if (part !== undefined) this.#value.begin(byte)
    return part !== undefined
  }

  #startFeatures(): void {
    this.#members.features = []
    this.#features = 0
  }

  #isMark(byte: number): boolean {
    if (this.#state !== 'start') return false
    const isMark = byte === byteOrderMark[this.#markBytes]
    if (isMark) this.#markBytes += 1
    else if (this.#markBytes > 0 && this.#markBytes < byteOrderMark.length)
      throw new JsonBytesFault('encoding')
    return isMark
  }

  #finish(part: Part, last: Uint8Array): void {
    const value = this.#parse(this.#value.take(last))
    if (part === 'document') this.#document = value
    else if (part === 'name') this.#name = String(value)
    else if (part === 'feature') this.#addFeature(value)
    else if (checkedNames.has(this.#name)) this.#members[this.#name] = value
    this.#part = undefined
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new NotJsonFault(`in ${showPath(this.path)}, from byte ${this.#valueOffset}: ${reason}`)
    }
  }

  #addFeature(value: unknown): void {
    const fault = this.#featureFault === undefined ? findFeatureFault(value) : undefined
    if (fault !== undefined) this.#featureFault = { ...fault, path: [...this.path, ...fault.path] }
    this.#features += 1
  }
}

/** Formats a path as in `$.features.3.geometry`. */
export function showPath(path: readonly (string | number)[]): string {
  return ['$', ...path].join('.')
}

const checkedNames: ReadonlySet<string> = new Set([
  'type',
  'id',
  'bbox',
  'coordinates',
  'geometries',
  'geometry',
  'properties',
  'features',
])

const byteOrderMark = Buffer.of(0xef, 0xbb, 0xbf)
const whiteSpace: ReadonlySet<number> = new Set(Buffer.from(' \t\n\r'))

interface Next {
  readonly state: State
  /** Value that begins with the byte. */
  readonly part?: Part
}

/** What follows each state, by the byte that is read; `any` is every other byte. */
const transitions: Readonly<Record<State, Readonly<Record<string, Next>>>> = {
  start: { '{': { state: 'first name' }, any: { state: 'end', part: 'document' } },
  'first name': { '"': { state: 'after name', part: 'name' }, '}': { state: 'end' } },
  name: { '"': { state: 'after name', part: 'name' } },
  'after name': { ':': { state: 'value' } },
  value: { any: { state: 'after value', part: 'member' } },
  'after value': { ',': { state: 'name' }, '}': { state: 'end' } },
  'first feature': { ']': { state: 'after value' }, any: { state: 'after feature', part: 'feature' } },
  feature: { any: { state: 'after feature', part: 'feature' } },
  'after feature': { ',': { state: 'feature' }, ']': { state: 'after value' } },
  end: {},
}

function findNext(state: State, byte: number, name: string): Next {
  const character = String.fromCharCode(byte)
  if (state === 'value' && name === 'features' && character === '[') return { state: 'first feature' }
  const found = transitions[state]
  const next = Object.hasOwn(found, character) ? found[character] : found.any
  if (next !== undefined) return next
  const shown = byte > 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0')}`
  throw new NotJsonFault(`unexpected "${shown}" ${places[state]}`)
}

const places: Readonly<Partial<Record<State, string>>> = {
  'first name': 'at the start of an object',
  name: 'instead of a name',
  'after name': 'after a name',
  'after value': 'after a value',
  'after feature': 'after a feature',
  end: 'after the end of the document',
}
