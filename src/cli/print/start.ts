import type { RunReport } from '../../pipeline/run_event.ts'
import { outcomeWords } from '../../reconcile/apply/outcome.ts'
import { actions, countActions, type Plan } from '../../reconcile/model/change.ts'
import { showBytes, showCount, showDuration } from './number.ts'

/** Writes one step of a start: its name, what came of it, how long it took. */
export function formatStep(name: string, result: string, tookMs: number): string {
  return `${formatFact(name, result).padEnd(74)} ${showDuration(tookMs).padStart(8)}`
}

/** Writes a line beside the steps that took no time. */
export function formatFact(name: string, text: string): string {
  return `${name.padEnd(9)} ${text}`
}

/** Says what an applied plan did: `7 created, 1 updated`. */
export function describeApplied({ changes, unchanged }: Plan): string {
  const counts = countActions(changes)
  const words = actions.flatMap((action) =>
    counts[action] > 0 ? [`${counts[action]} ${outcomeWords[action]}`] : [],
  )
  return [...words, ...(unchanged > 0 ? [`${unchanged} unchanged`] : [])].join(', ')
}

/** Says what a plan would do, in one number. */
export function describePlanned({ changes, unchanged }: Plan): string {
  return `${showCount(changes.length, 'change')}, ${unchanged} unchanged`
}

/** Says what a run did with its rows and files. */
export function describeRun({ outcome, layers }: RunReport): string {
  const sum = (count: (layer: RunReport['layers'][number]) => number) =>
    layers.reduce((total, layer) => total + count(layer), 0)
  if (outcome === 'unchanged')
    return `unchanged, ${showCount(
      sum(({ unchanged }) => unchanged),
      'row',
    )}`
  const quarantined = sum((layer) => layer.quarantined)
  const size = sum((layer) => layer.sizeBytes ?? 0)
  return [
    `${showCount(
      sum(({ loaded }) => loaded),
      'row',
    )} ${outcome}`,
    ...(outcome === 'loaded'
      ? [`${quarantined} quarantined`]
      : [`${showCount(layers.length, 'file')}, ${showBytes(size)}`]),
  ].join(', ')
}
