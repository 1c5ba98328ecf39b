import type { TreePart } from '../../api/read_tree.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { ActualTree } from '../model/actual_tree.ts'
import type { PlanOptions } from '../model/plan_input.ts'
import { noPart } from './partial_tree.ts'

/**
 * Returns the part of the server that a plan of a manifest needs in any case: resources that the manifest manages or partly sets,
 * and those that it or an option names. Undefined if the manifest has no resources.
 */
export function partOf({ id, resources }: Manifest, options: PlanOptions): TreePart | undefined {
  if (resources.size === 0) return undefined
  const named = [...resources.values()].flatMap(({ key, existing, id: number, was }) => [
    ...(existing && number === undefined ? [key] : []),
    ...(was === undefined ? [] : [was]),
  ])
  const labelled = partOfLabels(labelsIn(options))
  return {
    ...noPart,
    manifest: id,
    keynames: [...new Set([...named, ...labelled.keynames])],
    ids: [...[...resources.values()].flatMap((one) => one.id ?? []), ...labelled.ids],
  }
}

/** Returns the part with what labels may name: keynames, or ids as `53` or `#53`. */
export function partOfLabels(labels: readonly string[]): Pick<TreePart, 'keynames' | 'ids'> {
  return { keynames: [...new Set(labels)], ids: labels.flatMap((label) => idIn(label) ?? []) }
}

/** Tells whether the part has all resources that options name: for others, similar names of the whole server are suggested. */
export function hasNamed(actual: ActualTree, { resources }: Manifest, options: PlanOptions): boolean {
  return labelsIn(options).every(
    (label) =>
      resources.has(label) || actual.byKeyname.has(label) || actual.byId.has(idIn(label) ?? Number.NaN),
  )
}

/** Lists the labels in options that may name resources outside of the manifest. */
const labelsIn = ({ allowDelete, allowLoss }: PlanOptions) => [...new Set([...allowDelete, ...allowLoss])]

function idIn(label: string): number | undefined {
  const id = Number(/^#?(\d{1,10})$/.exec(label)?.[1] ?? Number.NaN)
  return Number.isNaN(id) ? undefined : id
}
