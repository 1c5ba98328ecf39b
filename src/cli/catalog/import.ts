import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { hasErrors } from '../../core/issue.ts'
import { decodeText } from '../../document/decode_text.ts'
import { manifestIdPattern } from '../../manifest/schema/manifest_schema.ts'
import { applyPlan } from '../../reconcile/apply/apply_plan.ts'
import type { ImportFile } from '../../reconcile/catalog/import/import_row.ts'
import { planImport } from '../../reconcile/catalog/import/plan_import.ts'
import { countActions, type Plan } from '../../reconcile/model/change.ts'
import type { CommandSpec } from '../command.ts'
import { formatIssues } from '../load_manifest.ts'
import { eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writePlanEvents, writeReportEvent } from '../print/events.ts'
import { formatChanges } from '../print/plan.ts'
import { formatReport } from '../print/report.ts'
import { painter, showCount } from '../print/text_format.ts'
import { type Terminal, writeLine } from '../terminal.ts'

/** Settings of `catalog import`. */
export interface CatalogImportSettings {
  readonly file: string
  readonly manifest?: string | undefined
  readonly dryRun: boolean
  readonly json: boolean
}

/**
 * Imports geoservices from a file in one transaction, or shows what an import would change.
 *
 * @throws {Problem} catalog/invalid with all faults of the file, file/*, catalog/absent, access/denied
 */
export async function importRecords(
  api: Api,
  settings: CatalogImportSettings,
  terminal: Terminal,
): Promise<void> {
  const { file, manifest, dryRun, json } = settings
  const source = await readSource(file, terminal.cwd)
  const started = performance.now()
  const plan = await planImport(api, { source, manifest, signal: terminal.interrupt })
  if (hasErrors(plan.issues)) throw invalid(source, plan)
  if (json) writePlanEvents(terminal.out, plan)
  if (dryRun) {
    if (!json) writeLine(terminal.out, describePlan(file, plan, terminal))
    return
  }
  const report = await applyPlan({ api, plan, signal: terminal.interrupt, breakOff: terminal.halt })
  if (json) writeReportEvent(terminal.out, report)
  const isDone = report.outcomes.every(({ outcome }) => outcome !== 'failed' && outcome !== 'skipped')
  if (isDone) {
    if (!json) writeLine(terminal.out, `${file}: ${countDone(plan)}`)
    return
  }
  const resume = `landform catalog import ${file}`
  const tookMs = performance.now() - started
  throw problem('apply/failed', `${file} was not imported.`, {
    detail: formatReport(report, { paint: painter(false), resume, tookMs }),
  })
}

async function readSource(file: string, cwd: string): Promise<ImportFile> {
  const bytes = await readFile(resolve(cwd, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw problem('file/not-found', `${file} does not exist.`)
    throw problem('file/unreadable', `Cannot read ${file}: ${error.message}`)
  })
  const decoded = decodeText(file, bytes)
  if ('text' in decoded) return { file, text: decoded.text.replaceAll('\r\n', '\n') }
  throw problem('file/encoding', `${file}: ${decoded.issue.message}.`, { issues: [decoded.issue] })
}

function invalid({ file, text }: ImportFile, { issues }: Plan) {
  const errors = issues.filter(({ severity }) => severity === 'error')
  return problem(
    'catalog/invalid',
    `${file} has ${showCount(errors.length, 'error')}; nothing was imported.`,
    {
      exit: 3,
      hint: undefined,
      issues,
      detail: formatIssues(issues, new Map([[file, text]])),
    },
  )
}

function describePlan(file: string, plan: Plan, { colour }: Terminal): string {
  const counts = Object.entries(countActions(plan.changes)).filter(([, count]) => count > 0)
  const parts = counts.map(([action, count]) => `${count} to ${action}`)
  return [
    ...formatChanges(plan, painter(colour)),
    `${file}: ${[...parts, `${plan.unchanged} unchanged`].join(', ')}`,
  ].join('\n')
}

function countDone({ changes, unchanged }: Plan): string {
  const { create, ...others } = countActions(changes)
  const updated = Object.values(others).reduce((sum, count) => sum + count, 0)
  return `${create} created, ${updated} updated, ${unchanged} unchanged`
}

/** The command `catalog import`. */
export const importCommand: CommandSpec = {
  name: 'import',
  summary: 'import geoservices from a JSON or CSV file, all of them or none',
  notes: [
    'Records have the members of the API: a list in JSON, a record per line, or a table with a header. They match geoservices of the catalog by guid, then by name; members that a record does not have stay as they are. An icon is an id or a name.',
  ],
  examples: [
    'landform catalog import services.csv --dry-run',
    'landform catalog import services.json --manifest services',
  ],
  declare: (command) =>
    eventOptions(command.argument('<file>', 'JSON, NDJSON or CSV file'))
      .option('--manifest <id>', 'id of the manifest that manages the records from now on')
      .option('--dry-run', 'show the changes without making them'),
  run: ({ arguments: [file], options }, terminal) => {
    const manifest = options.manifest as string | undefined
    if (manifest !== undefined && !new RegExp(manifestIdPattern).test(manifest))
      throw problem('usage/bad-argument', `"${manifest}" is not a valid id of a manifest.`)
    const settings = {
      file: String(file),
      manifest,
      dryRun: options.dryRun === true,
      json: options.json === true,
    }
    return withServer(options, terminal, (api) => importRecords(api, settings, terminal))
  },
}
