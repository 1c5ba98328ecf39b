import type { Api } from '../../../api/api.ts'
import { compareIssues, type Issue } from '../../../core/issue.ts'
import type { Plan } from '../../model/change.ts'
import { safeOptions } from '../../model/plan_input.ts'
import { indexCatalog } from '../actual_catalog.ts'
import { planCatalog } from '../plan_catalog.ts'
import { readRecords } from '../read_records.ts'
import type { ImportFile, ImportRows } from './import_row.ts'
import { prepareImport } from './prepare_import.ts'
import { readDocuments } from './read_documents.ts'
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
