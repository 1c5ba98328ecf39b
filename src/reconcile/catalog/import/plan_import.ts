import type { Api } from '../../../api/api.ts'
import { isObject } from '../../../core/is_object.ts'
import { compareIssues, type Issue } from '../../../core/issue.ts'
import { once } from '../../../core/once.ts'
import { joinPointer, type Pointer } from '../../../core/pointer.ts'
import type { Span } from '../../../core/span.ts'
import { parseYaml } from '../../../document/parse_yaml.ts'
import { spanAt } from '../../../document/yaml_node.ts'
import type { Plan } from '../../model/change.ts'
import { safeOptions } from '../../model/plan_input.ts'
import { indexCatalog } from '../actual_catalog.ts'
import { planCatalog } from '../plan_catalog.ts'
import { readRecords } from '../read_records.ts'
import { type ImportFile, type ImportRow, type ImportRows, spanOfPosition, unreadable } from './import_row.ts'
import { prepareImport } from './prepare_import.ts'
import { readTable } from './read_table.ts'

/** Records to import, and the manifest that manages them. */
export interface ImportRequest {
  readonly read: ImportRows
  /** Id of the manifest; absent to leave the manager of the records as it is. */
  readonly manifest?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Formats of imported files. */
export type ImportFormat = 'csv' | 'json'

type Parsed = { readonly value: unknown } | { readonly fault: string }

/** Maximum depth of lists and objects, as in requests. */
const maxDepth = 200

/** Returns the format of a file by its extension, else by its first character. */
export function detectImportFormat({ file, text }: ImportFile): ImportFormat {
  if (/\.(?:csv|tsv|txt)$/i.test(file)) return 'csv'
  if (/\.(?:json|ndjson|jsonl)$/i.test(file)) return 'json'
  return /^\s*[[{]/.test(text) ? 'json' : 'csv'
}

/** Reads the records of a file, with the faults that keep it from being read. */
export function readImport(source: ImportFile): ImportRows {
  return detectImportFormat(source) === 'csv' ? readTable(source) : readDocuments(source)
}

/**
 * Plans the import of geoservices: rows match records by global identifier, then by name; members that a row does not have
 * stay as they are. The issues of the plan include all faults of the file.
 *
 * @throws {Problem} access/denied, catalog/absent
 */
export async function planImport(api: Api, { read, manifest, signal }: ImportRequest): Promise<Plan> {
  const { rows, issues } = read
  const records = await readRecords(api, signal)
  const prepared = prepareImport(rows, indexCatalog(records))
  const plan = planCatalog({
    wanted: prepared.wanted,
    manifestId: manifest,
    owns: false,
    catalog: records,
    options: safeOptions,
  })
  const all = [...issues, ...prepared.issues, ...plan.issues.map(withHint)]
  return {
    version: 1,
    manifest: manifest ?? '',
    server: api.url,
    landform: undefined,
    steps: [],
    ids: new Map(),
    principals: new Map(),
    fingerprint: '',
    ...plan,
    issues: all.sort(compareIssues),
  }
}

/** Hints for imports, which do not have the options of plans. */
const hints: Readonly<Record<string, string>> = {
  'plan/foreign': 'Change it in that manifest, or import with the id of the manifest as --manifest.',
  'plan/replace': 'Use another name, or delete the old record first.',
}

function withHint(issue: Issue): Issue {
  const hint = hints[issue.code]
  return hint === undefined ? issue : { ...issue, hint }
}

/** Reads records as JSON: a list, a page of the API, one record, or a record per line. */
function readDocuments(source: ImportFile): ImportRows {
  const { file, text } = source
  const whole = parseJson(text)
  if (!('fault' in whole)) return listRecords(source, whole.value)
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, number: at + 1 }]))
  const isList = text.trimStart().startsWith('[') || lines.length < 2
  if (isList) return { rows: [], issues: [syntaxIssue(source, whole.fault, 1)] }
  const read = lines.map(({ line, number }) => readLine(file, line, number))
  return { rows: read.flatMap(({ rows }) => rows), issues: read.flatMap(({ issues }) => issues) }
}

function parseJson(text: string): Parsed {
  if (isTooDeep(text)) return { fault: `it nests lists and objects more than ${maxDepth} levels deep` }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { fault: (error as SyntaxError).message }
  }
}

/** Tells whether a text opens too many brackets outside of strings. Deeper values would exhaust the stack. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

/** Creates the issue of text that is not JSON, with the position in a file that has it from a line on. */
function syntaxIssue({ file, text }: ImportFile, fault: string, firstLine: number): Issue {
  const [message = ''] = fault.split(/ in JSON at position |, "|, \.\.\."/)
  const before = text.slice(0, findFault(text)).split('\n')
  const span = spanOfPosition(file, firstLine + before.length - 1, (before.at(-1) ?? '').length + 1)
  return unreadable(`invalid JSON: ${message}`, span)
}

/** Finds the offset of the first fault, by the longest start of the text that could go on as JSON. */
function findFault(text: string): number {
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (mayGoOn(text.slice(0, middle + 1))) low = middle + 1
    else high = middle
  }
  return low
}

function mayGoOn(start: string): boolean {
  const parsed = parseJson(start)
  if (!('fault' in parsed) || parsed.fault.startsWith('Unexpected end')) return true
  const position = / at position (\d+)/.exec(parsed.fault)?.[1]
  return position !== undefined && Number(position) >= start.length
}

function listRecords({ file, text }: ImportFile, value: unknown): ImportRows {
  const page = (value as { readonly results?: unknown } | null)?.results
  const [list, base] = Array.isArray(page) ? [page, '/results'] : [value, '']
  // JSON is YAML, whose parser knows positions. It runs only if there are faults to report.
  const document = once(() => parseYaml(file, text).documents[0])
  const spanIn = (pointer: Pointer) => {
    const found = document()
    return found === undefined ? spanOfPosition(file, 1, 1) : startOf(spanAt(found, pointer))
  }
  const records = Array.isArray(list) ? list : [list]
  const read = records.map((record, at): ImportRow | Issue => {
    const pointer = Array.isArray(list) ? joinPointer(base, at) : base
    if (!isObject(record)) return { ...unreadable('expected a record', spanIn(pointer)), pointer }
    const spanOf = (member?: string) => spanIn(member === undefined ? pointer : joinPointer(pointer, member))
    return { members: record, pointer, spanOf }
  })
  return {
    rows: read.flatMap((one) => ('members' in one ? [one] : [])),
    issues: read.flatMap((one) => ('members' in one ? [] : [one])),
  }
}

/** Shortens a span of several lines to its first character. */
function startOf(span: Span): Span {
  return span.line === span.endLine ? span : spanOfPosition(span.file, span.line, span.column)
}

function readLine(file: string, line: string, number: number): ImportRows {
  const span = { file, line: number, column: 1, endLine: number, endColumn: line.length + 1 }
  const parsed = parseJson(line)
  if ('fault' in parsed)
    return { rows: [], issues: [syntaxIssue({ file, text: line }, parsed.fault, number)] }
  if (!isObject(parsed.value)) return { rows: [], issues: [unreadable('expected a record', span)] }
  return { rows: [{ members: parsed.value, pointer: '', spanOf: () => span }], issues: [] }
}
