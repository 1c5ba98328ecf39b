import { type Command, InvalidArgumentError } from 'commander'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import { hasErrors, type Issue } from '../core/issue.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Plan } from '../reconcile/model/change.ts'
import { checkPolicy } from '../reconcile/policy/check_policy.ts'
import { checkForbiddenGains, publicPrincipals } from '../reconcile/policy/forbid_gain.ts'
import type { LoadedPolicy } from '../reconcile/policy/load_policy.ts'
import { formatIssues } from './print/issue_list.ts'
import type { Terminal } from './terminal.ts'

/** Conditions that a plan must meet, from the command line. */
export interface GuardSettings {
  /** Users and groups that must not gain access. */
  readonly forbidGain: readonly string[]
  /** Policy files. */
  readonly policies: readonly string[]
}

/** Conditions that a plan must meet. */
export interface Guards {
  readonly forbidGain: readonly string[]
  readonly policies: readonly LoadedPolicy[]
}

/** No conditions. */
export const noGuards: Guards = { forbidGain: [], policies: [] }

/** Declares the options of conditions. */
export function guardOptions(command: Command): Command {
  return command
    .option('--forbid-public-gain', 'fail if guests gain a permission on any resource')
    .option(
      '--forbid-gain <name>',
      'fail if a user or group gains a permission; may be repeated',
      collectNonEmpty,
    )
    .option(
      '--policy <file>',
      'fail if the plan violates a rule of a policy file; may be repeated',
      collectNonEmpty,
    )
}

/** Collects the values of a repeatable option. An empty value, such as that of an unset variable, must not mean no condition. */
function collectNonEmpty(value: string, before: readonly string[] = []): string[] {
  if (value.trim() === '') throw new InvalidArgumentError('The value is empty.')
  return [...before, value]
}

/** Reads the conditions from the command line. */
export function readGuards(options: Readonly<Record<string, unknown>>): GuardSettings {
  const list = (name: string) => (options[name] as readonly string[] | undefined) ?? []
  const guests = options.forbidPublicGain === true ? publicPrincipals : []
  return { forbidGain: [...guests, ...list('forbidGain')], policies: list('policy') }
}

/**
 * Loads the policy files.
 *
 * @throws {Problem} policy/invalid with the issues; file/not-found, file/unreadable
 */
export async function loadGuards(
  { forbidGain, policies }: GuardSettings,
  { cwd }: Pick<Terminal, 'cwd'>,
): Promise<Guards> {
  if (policies.length === 0) return { forbidGain, policies: [] }
  // The CEL library is loaded by commands that use it only.
  const { loadPolicy } = await import('../reconcile/policy/load_policy.ts')
  const loaded = await Promise.all(policies.map((path) => loadPolicy(path, cwd)))
  const issues = loaded.flatMap((one) => one.issues)
  if (!hasErrors(issues)) return { forbidGain, policies: loaded }
  throw problem('policy/invalid', `The policy has ${countOf(issues.length, 'error')}.`, {
    issues,
    detail: formatIssues(issues, sourcesOf(loaded)),
  })
}

const sourcesOf = (policies: readonly LoadedPolicy[]) =>
  new Map(policies.map(({ file, text }) => [file, text]))

/** Lists the conditions that a plan does not meet, as errors and warnings. */
export function checkGuards(plan: Plan, manifest: Manifest, { forbidGain, policies }: Guards): Issue[] {
  return [
    ...checkForbiddenGains(plan, forbidGain),
    ...policies.flatMap(({ rules }) => checkPolicy(rules, { plan, manifest })),
  ]
}

/** Adds the texts of policy files to those of the manifest, for excerpts. */
export function withPolicies(
  sources: ReadonlyMap<string, string>,
  { policies }: Guards,
): ReadonlyMap<string, string> {
  return new Map([...sources, ...sourcesOf(policies)])
}
