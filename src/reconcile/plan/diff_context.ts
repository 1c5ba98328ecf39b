import type { PlanInput } from '../model/plan_input.ts'
import type { DiffContext } from './diff.ts'
import type { Match } from './match.ts'

/** Gives what the differ has to know; recreated resources lose their ids, so all that refers to them changes. */
export function contextOf(
  { manifest, actual, options }: PlanInput,
  match: Match,
  recreated: ReadonlySet<string>,
): DiffContext {
  const keyOf = new Map([...match.keyOf].filter(([, key]) => !recreated.has(key)))
  return {
    manifestId: manifest.id,
    names: { keyOf, principals: actual.principals },
    findId: (key) => (recreated.has(key) ? undefined : match.pairs.get(key)?.id),
    sendSecrets: options.sendSecrets,
    mergesMetadata: actual.landform !== undefined,
  }
}
