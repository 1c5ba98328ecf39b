import { findProblemKind } from '../../contract/problems.ts'
import { hasErrors, type Issue } from '../../core/issue.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { guardOptions, readGuards } from '../guards.ts'
import { allowanceOptions, serverOptions } from '../options.ts'
import { type PrepareSettings, preparePlan, readAllowances, showPlan } from '../prepare.ts'
import { adviseLogin } from '../principals.ts'
import { describeMarks } from '../print/plan.ts'
import type { Terminal } from '../terminal.ts'

/** Settings of `plan`. */
export interface PlanSettings extends PrepareSettings {
  readonly server: ServerSettings
  readonly json: boolean
  /** Whether pending changes result in exit code 2. */
  readonly exitCode: boolean
}

/** Shows the changes that `apply` would make. */
export async function runPlan(settings: PlanSettings, terminal: Terminal): Promise<number> {
  const api = await connect(settings.server, terminal)
  try {
    const prepared = await preparePlan(api, settings, terminal)
    showPlan(prepared, settings.json, terminal)
    if (hasErrors(prepared.plan.issues)) return exitCodeOf(prepared.plan.issues)
    return settings.exitCode && prepared.plan.changes.length > 0 ? 2 : 0
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
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
      .option('--exit-code', 'exit with 2 if changes are pending')
      .option('--json', 'write events as JSON lines'),
  run: ({ arguments: [paths], options }, terminal) =>
    runPlan(
      {
        paths: (paths ?? []) as readonly string[],
        options: readAllowances(options),
        guards: readGuards(options),
        server: options as ServerSettings,
        json: options.json === true,
        exitCode: options.exitCode === true,
      },
      terminal,
    ),
}
