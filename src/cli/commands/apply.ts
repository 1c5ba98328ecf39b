import { resolve } from 'node:path'
import { type CarryOutSettings, confirmAndApply } from '../carry_out.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { findCommit } from '../git_commit.ts'
import { guardOptions, readGuards } from '../guards.ts'
import { allowanceOptions, parseCount, serverOptions } from '../options.ts'
import { type PrepareSettings, preparePlan, readAllowances, showPlan } from '../prepare.ts'
import { adviseLogin } from '../principals.ts'
import { describeMarks } from '../print/plan.ts'
import type { Terminal } from '../terminal.ts'

/** Settings of `apply`. */
export interface ApplySettings extends PrepareSettings, CarryOutSettings {
  readonly server: ServerSettings
}

/** Plans, asks for confirmation, and applies the manifest to the server. */
export async function runApply(settings: ApplySettings, terminal: Terminal): Promise<number> {
  const api = await connect(settings.server, terminal)
  try {
    const prepared = await preparePlan(api, settings, terminal)
    const { plan } = prepared
    showPlan(prepared, settings.json, terminal)
    const resume = `landform apply ${settings.paths.join(' ')}`.trimEnd()
    const commit = await findCommit(resolve(terminal.cwd, settings.paths[0] ?? '.'))
    const { manifest } = prepared.loaded
    return await confirmAndApply({ api, plan, manifest, settings, resume, commit }, terminal)
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

/** The command `apply`. */
export const applyCommand: CommandSpec = {
  name: 'apply',
  summary: 'apply a manifest to a server',
  notes: [describeMarks()],
  examples: [
    'landform apply',
    'landform apply manifests/world.yaml --yes',
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
      .option('--yes', 'skip the confirmation')
      .option('--partial', 'skip resources that others have changed since the plan, and apply the rest')
      .option('--no-atomic', 'apply each change separately, even if the server supports transactions')
      .option('--concurrency <count>', 'maximum number of concurrent requests (default: 8)', parseCount)
      .option('--json', 'write events as JSON lines'),
  run: ({ arguments: [paths], options }, terminal) =>
    runApply(
      {
        paths: (paths ?? []) as readonly string[],
        options: readAllowances(options),
        guards: readGuards(options),
        server: options as ServerSettings,
        json: options.json === true,
        yes: options.yes === true,
        concurrency: options.concurrency as number | undefined,
        atomic: options.atomic !== false,
        partial: options.partial === true,
      },
      terminal,
    ),
}
