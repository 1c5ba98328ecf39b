import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import { restoreOptions, type SavedPlan } from '../../reconcile/saved/saved_plan.ts'
import { type CarryOutSettings, confirmAndApply } from '../carry_out.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { guardOptions, readGuards } from '../guards.ts'
import { allowanceOptions, listAllowances, parseCount, serverOptions } from '../options.ts'
import { type PrepareSettings, preparePlan, readAllowances, showPlan } from '../prepare.ts'
import { adviseLogin } from '../principals.ts'
import { describeMarks } from '../print/plan.ts'
import { checkSavedPlan, readSavedPlan } from '../saved_plan.ts'
import type { Terminal } from '../terminal.ts'

/** Settings of `apply`. */
export interface ApplySettings extends PrepareSettings, CarryOutSettings {
  readonly server: ServerSettings
  /** Path of a saved plan, instead of a manifest. */
  readonly plan?: string | undefined
  /** Options of the plan on the command line. */
  readonly given: readonly string[]
}

/** Plans, asks for confirmation, and applies the manifest to the server. */
export async function runApply(written: ApplySettings, terminal: Terminal): Promise<number> {
  const saved = written.plan === undefined ? undefined : await readSavedPlan(written.plan, terminal)
  const settings = saved === undefined ? written : settingsOf(saved, written)
  const api = await connect(settings.server, terminal)
  try {
    if (saved !== undefined) checkServer(saved, api)
    const prepared = await preparePlan(liveReader(api, terminal.interrupt), settings, terminal)
    const { plan } = prepared
    showPlan(prepared, { json: settings.json, quiet: settings.quiet && settings.yes }, terminal)
    if (saved !== undefined) await checkSavedPlan(saved, prepared, terminal)
    const resume = `landform apply ${settings.paths.join(' ')}`.trimEnd()
    const { loaded, commit } = prepared
    const { manifest } = loaded
    return await confirmAndApply({ api, plan, manifest, settings, resume, commit }, terminal)
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

/** Settings of a saved plan, which was reviewed, so that nothing is asked. */
function settingsOf(saved: SavedPlan, written: ApplySettings): ApplySettings {
  const contrary = [...written.paths, ...written.given]
  if (contrary.length > 0)
    throw problem(
      'usage/bad-argument',
      `A saved plan has its own manifest and options: remove ${contrary.join(', ')}.`,
      { hint: 'Give them to landform plan --out.' },
    )
  const { forbidGain, policies } = written.guards
  return {
    ...written,
    paths: saved.paths,
    options: restoreOptions(saved.options),
    guards: {
      forbidGain: [...saved.forbid_gain, ...forbidGain],
      policies: [...saved.policies, ...policies],
    },
    yes: true,
  }
}

function checkServer({ server }: SavedPlan, { url }: Api): void {
  if (server === url) return
  throw problem('plan/saved', `The plan was made for ${server}, not for ${url}.`, {
    hint: `Use --server ${server}, or plan again.`,
  })
}

/** The command `apply`. */
export const applyCommand: CommandSpec = {
  name: 'apply',
  summary: 'apply a manifest to a server',
  notes: [describeMarks()],
  examples: [
    'landform apply',
    'landform apply manifests/world.yaml --yes',
    'landform apply --plan city.plan   # exactly the plan of landform plan --out city.plan',
    'landform apply --prune --fuse 20% --yes',
    'landform apply --replace old_layer',
    'landform apply --forbid-public-gain --yes',
    'landform apply --partial --yes   # skips resources that others have changed',
  ],
  declare: (command) =>
    guardOptions(
      allowanceOptions(
        serverOptions(
          command.argument('[paths...]', 'files and directories of the manifest (default: manifests)'),
        ),
      ),
    )
      .option('--plan <file>', 'apply a plan saved by landform plan --out, without confirmation')
      .option('--yes', 'skip the confirmation')
      .option('--partial', 'skip resources that others have changed since the plan, and apply the rest')
      .option('--no-atomic', 'apply each change separately, even if the server supports transactions')
      .option('--concurrency <count>', 'maximum number of concurrent requests (default: 8)', parseCount)
      .option('--json', 'write events as JSON lines')
      .option('--quiet', 'show no progress and, with --yes, no plan'),
  run: ({ arguments: [paths], options }, terminal) =>
    runApply(
      {
        paths: (paths ?? []) as readonly string[],
        options: readAllowances(options),
        given: listAllowances(options),
        guards: readGuards(options),
        server: options as ServerSettings,
        plan: options.plan as string | undefined,
        json: options.json === true,
        quiet: options.quiet === true,
        yes: options.yes === true,
        concurrency: options.concurrency as number | undefined,
        atomic: options.atomic !== false,
        partial: options.partial === true,
      },
      terminal,
    ),
}
