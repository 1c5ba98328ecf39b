import { problem } from '../../contract/problems.ts'
import { hasErrors } from '../../core/issue.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import { planUndo } from '../../reconcile/undo/plan_undo.ts'
import { confirmAndApply } from '../carry_out.ts'
import { checkUndoKeys } from '../check_keys.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { collect, eventOptions, parseCount } from '../options.ts'
import { showPlan } from '../prepare.ts'
import { adviseLogin } from '../principals.ts'
import { showReading } from '../print/reading.ts'
import type { Terminal } from '../terminal.ts'
import { exitCodeOf } from './plan.ts'

/** Settings of `undo`. */
interface UndoSettings {
  /** Entry of the journal. */
  readonly id: number
  readonly server: ServerSettings
  readonly options: Readonly<Record<string, unknown>>
}

/** Plans to undo an apply, asks for confirmation, and restores what was before. */
async function runUndo({ id, server, options }: UndoSettings, terminal: Terminal): Promise<number> {
  if (options.exitCode === true && options.plan !== true)
    throw problem('usage/bad-argument', '--exit-code needs --plan.')
  const api = await connect(server, terminal)
  try {
    const { interrupt: signal } = terminal
    const entry = await api.call('journal.get', { params: { id }, query: { before: true }, signal })
    const keys = (name: string) => new Set((options[name] as readonly string[] | undefined) ?? [])
    const allowed = {
      overwrite: keys('overwrite'),
      allowDelete: keys('allowDelete'),
      allowLoss: keys('allowLoss'),
      withoutData: options.withoutData === true,
    }
    const { plan: planned, manifest } = await showReading(liveReader(api, signal), terminal, (reader) =>
      planUndo({ api, reader, entry, options: allowed, env: terminal.env, signal }),
    )
    const plan = { ...planned, issues: [...checkUndoKeys(planned, entry, allowed), ...planned.issues] }
    const [json, quiet] = [options.json === true, options.quiet === true]
    const shownLoaded = { manifest, issues: [], sources: new Map(), documents: [] }
    showPlan({ plan, loaded: shownLoaded }, { json, quiet: quiet && options.yes === true }, terminal)
    if (options.plan === true) {
      if (hasErrors(plan.issues)) return exitCodeOf(plan.issues)
      return options.exitCode === true && plan.changes.length > 0 ? 2 : 0
    }
    const settings = { json, quiet, yes: options.yes === true, atomic: true, partial: false }
    const shown = { api, plan, manifest, settings, resume: `landform undo ${id}`, undoes: id }
    return await confirmAndApply(shown, terminal)
  } catch (error) {
    throw await adviseLogin(error, server, terminal)
  } finally {
    await api.close()
  }
}

/** The command `undo`. */
export const undoCommand: CommandSpec = {
  name: 'undo',
  summary: 'undo an apply: restore resources as they were before',
  notes: [
    'Deletes what the apply created, restores what it changed, and creates again what it deleted, with their ids.\nData of vector layers are restored while the server keeps them; secrets from environment variables such as ROADS_PASSWORD.',
  ],
  examples: [
    'landform history',
    'landform undo 12 --plan   # only show what would change',
    'landform undo 12',
    'landform undo 12 --overwrite roads --yes',
  ],
  declare: (command) =>
    eventOptions(command.argument('<entry>', 'id of the apply in landform history', parseCount))
      .option('--plan', 'show what the undo would change, and change nothing')
      .option('--exit-code', 'with --plan: exit with 2 if the undo would change anything')
      .option('--yes', 'skip the confirmation')
      .option('--quiet', 'show no progress and, with --yes, no plan')
      .option(
        '--overwrite <key>',
        'undo what the apply set, although it was changed since; may be repeated',
        collect,
      )
      .option('--without-data', 'undo the rest if the server does not keep the data that were deleted')
      .option('--allow-delete <key>', 'allow deleting features that were loaded; may be repeated', collect)
      .option('--allow-loss <key>', 'allow a resource to lose references; may be repeated', collect),
  run: ({ arguments: [id], options }, terminal) =>
    runUndo({ id: id as number, server: options as ServerSettings, options }, terminal),
}
