import { resolve } from 'node:path'
import { Option } from 'commander'
import { findProblemKind, problem } from '../../contract/problems.ts'
import { hasErrors, type Issue } from '../../core/issue.ts'
import { writeAtomically } from '../../files/atomic_write.ts'
import { checkReplaceable } from '../../files/replaceable.ts'
import { readCapture } from '../../reconcile/capture/capture_file.ts'
import { captureReader } from '../../reconcile/capture/capture_reader.ts'
import type { Plan } from '../../reconcile/model/change.ts'
import { liveReader, type PlanReader } from '../../reconcile/plan/plan_reader.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { guardOptions, readGuards } from '../guards.ts'
import { allowanceOptions, serverOptions } from '../options.ts'
import { type Prepared, type PrepareSettings, preparePlan, readAllowances, showPlan } from '../prepare.ts'
import { adviseLogin } from '../principals.ts'
import { describeCapture } from '../print/capture.ts'
import { describeMarks } from '../print/plan.ts'
import { formatMarkdown } from '../print/plan_markdown.ts'
import { savePlan } from '../saved_plan.ts'
import { type Terminal, writeLine } from '../terminal.ts'

/** Settings of `plan`. */
export interface PlanSettings extends PrepareSettings {
  readonly server: ServerSettings
  /** Path of a capture to plan against, instead of the server. */
  readonly from?: string | undefined
  /** Path of a file to save the plan in. */
  readonly out?: string | undefined
  /** Path of an HTML page to write. */
  readonly html?: string | undefined
  readonly markdown: boolean
  readonly json: boolean
  /** Whether pending changes result in exit code 2. */
  readonly exitCode: boolean
}

/** Shows the changes that `apply` would make. */
export async function runPlan(settings: PlanSettings, terminal: Terminal): Promise<number> {
  if (settings.from !== undefined) return planOffline(settings, settings.from, terminal)
  const api = await connect(settings.server, terminal)
  try {
    return await planWith(liveReader(api, terminal.interrupt), settings, terminal)
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

async function planOffline(settings: PlanSettings, from: string, terminal: Terminal): Promise<number> {
  if (settings.server.server !== undefined || settings.server.user !== undefined)
    throw problem(
      'usage/bad-argument',
      '--from plans without a server, so that --server and --user do not apply.',
    )
  const capture = await readCapture({ path: resolve(terminal.cwd, from), shownPath: from })
  const description = describeCapture(capture.head, from, new Date())
  if (!settings.json) writeLine(terminal.err, description)
  return planWith(captureReader(capture), { ...settings, capture: description }, terminal)
}

interface OutputSettings extends PlanSettings {
  /** Description of the capture, if the plan was made against one. */
  readonly capture?: string
}

async function planWith(reader: PlanReader, settings: OutputSettings, terminal: Terminal): Promise<number> {
  const prepared = await preparePlan(reader, settings, terminal)
  await writePlan(prepared, settings, terminal)
  const { issues } = prepared.plan
  if (hasErrors(issues)) return exitCodeOf(issues)
  const { out, json } = settings
  if (out !== undefined) {
    await savePlan({ prepared, settings, out }, terminal)
    if (!json) writeLine(terminal.err, `Saved in ${out}. To apply it: landform apply --plan ${out}`)
  }
  return settings.exitCode && isPending(prepared.plan) ? 2 : 0
}

/** Writes a plan in the requested formats: to `out`, and as a page. */
async function writePlan(prepared: Prepared, settings: OutputSettings, terminal: Terminal): Promise<void> {
  const { html, markdown, json, capture } = settings
  if (!markdown) showPlan(prepared, { json }, terminal)
  if (!markdown && html === undefined) return
  const document = { plan: prepared.plan, sources: prepared.loaded.sources, commit: prepared.commit, capture }
  if (markdown) writeLine(terminal.out, formatMarkdown(document))
  if (html === undefined) return
  const { formatPlanPage } = await import('../print/page/plan_page.ts')
  const page = Buffer.from(formatPlanPage(document))
  async function* bytes() {
    yield page
  }
  const path = resolve(terminal.cwd, html)
  await checkReplaceable({ path, shownPath: html, start: '<!doctype html>' })
  await writeAtomically(path, bytes(), { shownPath: html, overwrite: true })
}

/** Tells whether anything waits: changes, or managed resources that are no longer in the manifest. */
function isPending({ changes, issues }: Plan): boolean {
  return (
    changes.length > 0 || issues.some(({ code }) => code === 'plan/orphan' || code === 'plan/left-behind')
  )
}

/** Returns the exit code of issues: that of invalid input or of a refused plan if all errors have it, else that of a failure. */
export function exitCodeOf(issues: readonly Issue[]): number {
  const errors = issues.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return 0
  const codes = new Set(errors.map(({ code }) => findProblemKind(code)?.exit))
  return [3, 5].find((exit) => codes.size === 1 && codes.has(exit as 3 | 5)) ?? 1
}

/** The command `plan`. */
export const planCommand: CommandSpec = {
  name: 'plan',
  summary: 'show the changes that apply would make',
  notes: [describeMarks()],
  examples: [
    'landform plan',
    'landform plan manifests/world.yaml --server https://gis.example.org',
    'landform plan --exit-code   # 2 if changes are pending',
    'landform plan --from world.capture   # without a server, see landform capture',
    'landform plan --out city.plan   # for landform apply --plan city.plan',
    'landform plan --markdown   # for a comment on a pull request',
    'landform plan --html plan.html',
    'landform plan --prune --allow-delete old_layer',
    'landform plan --forbid-public-gain --policy policy.yaml   # 5 if a condition is not met',
  ],
  declare: (command) =>
    guardOptions(
      allowanceOptions(
        serverOptions(
          command.argument('[paths...]', 'files and directories of the manifest (default: manifests)'),
        ),
      ),
    )
      .option('--from <file>', 'plan against a capture of a server, without a connection')
      .option('--out <file>', 'save the plan for landform apply --plan; not if it has errors')
      .option('--exit-code', 'exit with 2 if changes or resources to prune are pending')
      .option('--html <file>', 'also write the plan as a page, with a search and filters')
      .addOption(
        new Option(
          '--markdown',
          'write the plan as Markdown, for a comment on a pull request, of at most 65,536 characters',
        ).conflicts('json'),
      )
      .option('--json', 'write events as JSON lines'),
  run: ({ arguments: [paths], options }, terminal) =>
    runPlan(
      {
        html: options.html as string | undefined,
        markdown: options.markdown === true,
        paths: (paths ?? []) as readonly string[],
        options: readAllowances(options),
        guards: readGuards(options),
        server: options as ServerSettings,
        from: options.from as string | undefined,
        out: options.out as string | undefined,
        json: options.json === true,
        exitCode: options.exitCode === true,
      },
      terminal,
    ),
}
