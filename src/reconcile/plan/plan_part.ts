import { maxTreeKeynames } from '../../contract/routes/resource.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { Plan } from '../model/change.ts'
import type { PlanOptions } from '../model/plan_input.ts'
import type { TreePart } from './plan_reader.ts'

/**
 * Returns the part of the server that tells whether anything differs from a manifest: resources that the manifest manages or partly
 * sets, and existing ones that it names. Undefined if a plan needs the other resources anyway.
 */
export function partOf({ id, resources }: Manifest, options: PlanOptions): TreePart | undefined {
  if (options.prune || options.adopt || resources.size === 0) return undefined
  // Options name resources outside of the manifest, too.
  const { replace, overwriteData, allowLoss, allowDelete, take, sendSecrets, only } = options
  const named = [replace, overwriteData, allowLoss, allowDelete, take, sendSecrets, only]
  if (named.some((keys) => keys.size > 0)) return undefined
  const keynames = [...resources.values()].flatMap((one) =>
    one.existing && one.id === undefined ? [one.key] : [],
  )
  return keynames.length > maxTreeKeynames ? undefined : { manifest: id, keynames }
}

/**
 * Tells whether a plan against a part of the server is that against all of it: nothing differs. Changes are planned against all
 * resources, since others may refer to those of the manifest, have their names, or be meant by them.
 */
export function isFinalPart({ changes, unknown, issues }: Plan): boolean {
  return changes.length + unknown.length + issues.length === 0
}
