import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { countOf, showNumber } from '../../core/count.ts'
import { hasErrors } from '../../core/issue.ts'
import { decodeText } from '../../document/decode_text.ts'
import { manifestIdPattern } from '../../manifest/schema/manifest_schema.ts'
import { applyPlan } from '../../reconcile/apply/apply_plan.ts'
import type { ImportFile, ImportRows } from '../../reconcile/catalog/import/import_row.ts'
import { planImport, readImport } from '../../reconcile/catalog/import/plan_import.ts'
import { isAddress, readRemote } from '../../reconcile/catalog/import/read_remote.ts'
import { nameSeparator } from '../../reconcile/catalog/import/read_table.ts'
import { countActions, type Plan } from '../../reconcile/model/change.ts'
import type { CommandSpec } from '../command.ts'
import { eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writePlanEvents, writeReportEvent } from '../print/events.ts'
import { formatIssues } from '../print/issue_list.ts'
import { formatChanges } from '../print/plan.ts'
import { formatReport } from '../print/report.ts'
import { painter } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { nameInterruption } from './interruption.ts'

/** Settings of `catalog import`. */
export interface CatalogImportSettings {
  /** Path of a file, or URL of another catalog. */
  readonly source: string
  readonly manifest?: string | undefined
  readonly dryRun: boolean
  readonly json: boolean
}

/**
 * Imports geoservices from a file or from another catalog in one transaction, or shows what an import would change.
 *
 * @throws {Problem} catalog/invalid with all faults of the file, file/*, external/*, catalog/absent, access/denied
 */
export async function importRecords(
  api: Api,
  settings: CatalogImportSettings,
  terminal: Terminal,
): Promise<void> {
  const { source, manifest, dryRun, json } = settings
  const undone = 'The import was interrupted; nothing was imported.'
  const { text, ...read } = await nameInterruption(readSource(source, terminal), undone)
  const started = performance.now()
  const planning = planImport(api, { read, manifest, signal: terminal.interrupt })
  const plan = await nameInterruption(planning, undone)
  const described = describeSource(source, read)
  if (hasErrors(plan.issues)) throw invalid(described, plan, new Map([[source, text]]))
  if (json) writePlanEvents(terminal.out, plan)
  else if (plan.issues.length > 0)
    writeLine(terminal.err, formatIssues(plan.issues, new Map([[source, text]])))
  if (dryRun) {
    if (!json) writeLine(terminal.out, describePlan(described, plan, terminal))
    return
  }
  const report = await applyPlan({ api, plan, signal: terminal.interrupt, breakOff: terminal.halt })
  if (json) writeReportEvent(terminal.out, report)
  const isDone = report.outcomes.every(({ outcome }) => outcome !== 'failed' && outcome !== 'skipped')
  if (isDone) {
    if (!json) writeLine(terminal.out, `${described}: ${countDone(plan)}`)
    return
  }
  const resume = `landform catalog import ${source}`
  const tookMs = performance.now() - started
  throw problem('apply/failed', `${source} was not imported.`, {
    detail: formatReport(report, { paint: painter(false), resume, tookMs }),
  })
}

/** Records to import, and their text if they are from a file. */
type ReadSource = ImportRows & { readonly text: string }

async function readSource(source: string, { cwd, interrupt }: Terminal): Promise<ReadSource> {
  if (isAddress(source)) return { ...(await readRemote(new URL(source), interrupt)), text: '' }
  const file = await readFileText(source, cwd)
  return { ...readImport(file), text: file.text }
}

/** Names the source, with the separator of a table that is not separated by commas. */
function describeSource(source: string, { separator = ',' }: ImportRows): string {
  return separator === ',' ? source : `${source} (separated by ${nameSeparator(separator)})`
}

async function readFileText(file: string, cwd: string): Promise<ImportFile> {
  const bytes = await readFile(resolve(cwd, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw problem('file/not-found', `${file} does not exist.`)
    throw problem('file/unreadable', `Cannot read ${file}: ${error.message}`)
  })
  const decoded = decodeText(file, bytes)
  if ('text' in decoded) return { file, text: decoded.text.replaceAll(/\r\n?/g, '\n') }
  throw problem('file/encoding', `${file}: ${decoded.issue.message}.`, { issues: [decoded.issue] })
}

function invalid(described: string, { issues }: Plan, sources: ReadonlyMap<string, string>) {
  const errors = issues.filter(({ severity }) => severity === 'error')
  return problem(
    'catalog/invalid',
    `${described} has ${countOf(errors.length, 'error')}; nothing was imported.`,
    { exit: 3, hint: undefined, issues, detail: formatIssues(issues, sources) },
  )
}

function describePlan(described: string, plan: Plan, { colour }: Terminal): string {
  const counts = Object.entries(countActions(plan.changes)).filter(([, count]) => count > 0)
  const parts = counts.map(([action, count]) => `${showNumber(count)} to ${action}`)
  return [
    ...formatChanges(plan, painter(colour)),
    `${described}: ${[...parts, `${showNumber(plan.unchanged)} unchanged`, ...countCleared(plan)].join(', ')}`,
  ].join('\n')
}

function countDone(plan: Plan): string {
  const { create, ...others } = countActions(plan.changes)
  const updated = Object.values(others).reduce((sum, count) => sum + count, 0)
  const parts = [
    `${showNumber(create)} created`,
    `${showNumber(updated)} updated`,
    `${showNumber(plan.unchanged)} unchanged`,
  ]
  return [...parts, ...countCleared(plan)].join(', ')
}

/** Counts the members that lose their value. */
function countCleared({ changes }: Plan): string[] {
  const updates = changes.filter(({ action }) => action !== 'create')
  const cleared = updates.flatMap(({ edits }) => edits.filter(({ from, to }) => to === null && from !== null))
  return cleared.length === 0 ? [] : [`${countOf(cleared.length, 'value')} cleared`]
}

/** The command `catalog import`. */
export const importCommand: CommandSpec = {
  name: 'import',
  summary: 'import geoservices from a JSON or CSV file, or from another catalog, all of them or none',
  notes: [
    'Records have the members of the API: a list in JSON, a record per line, or a table with a header, separated by commas, semicolons or tabs. They match geoservices of the catalog by guid, then by name; members that a record does not have, and empty cells, stay as they are. The cell null clears a member. An icon is the name, key or guid of an icon of the catalog.',
    'The address of another catalog imports all its geoservices.',
  ],
  examples: [
    'landform catalog import services.csv --dry-run',
    'landform catalog import services.json --manifest services',
    'landform catalog import https://qms.example.org --dry-run',
  ],
  declare: (command) =>
    eventOptions(command.argument('<source>', 'JSON, NDJSON or CSV file, or the URL of a catalog'))
      .option('--manifest <id>', 'id of the manifest that manages the records from now on')
      .option('--dry-run', 'show the changes without making them'),
  run: ({ arguments: [source], options }, terminal) => {
    const manifest = options.manifest as string | undefined
    if (manifest !== undefined && !new RegExp(manifestIdPattern).test(manifest))
      throw problem('usage/bad-argument', `"${manifest}" is not a valid id of a manifest.`)
    const settings = {
      source: String(source),
      manifest,
      dryRun: options.dryRun === true,
      json: options.json === true,
    }
    return withServer(options, terminal, (api) => importRecords(api, settings, terminal))
  },
}
