import { problem } from '../contract/problems.ts'
import type { Cls } from '../contract/registry.ts'
import { isObject } from '../core/is_object.ts'
import { withFiles } from '../manifest/files/expand_files.ts'
import { openSource } from './data_source.ts'
import type { Values } from './property_values.ts'
import { hasKnownFiles, openFiles } from './resource_files.ts'
import { findFiles, type InputFault, makeManifest, type ResourceInputs } from './resource_manifest.ts'
import type { Write } from './write_resource.ts'

/** Inputs to write. */
export interface WrittenInputs {
  readonly cls: Cls
  readonly inputs: Values
  /** Id on the server; absent for creations. */
  readonly id?: number
  readonly place: Pick<ResourceInputs, 'manifestId' | 'folder'>
  /** Whether its secrets are sent. */
  readonly sendsSecrets: boolean
}

/**
 * Opens the data and files of checked inputs while they are written.
 *
 * @throws {Problem} usage/bad-argument with the faults of inputs and files that have changed since they were checked
 */
export async function withWrite<T>(resource: WrittenInputs, work: (write: Write) => Promise<T>): Promise<T> {
  const { cls, inputs, id, place, sendsSecrets } = resource
  const { data } = inputs
  const source = isObject(data) ? data.source : undefined
  const opened = source === undefined ? undefined : await openSource(source, place.folder)
  const files = hasKnownFiles(cls, inputs) ? await openFiles(cls, inputs, place.folder) : undefined
  try {
    const made = makeManifest({
      ...{ ...place, cls, inputs },
      ...(id === undefined ? {} : { id }),
      ...(opened === undefined ? {} : { sourcePath: opened.path }),
      ...(files === undefined ? {} : { files: files.block }),
    })
    const { manifest, wanted, faults } = made
    if (manifest === undefined || wanted === undefined) throw refused(faults)
    const found = await findFiles(made)
    if (found.faults.length > 0) throw refused(found.faults)
    const { key } = wanted
    return await work({
      ...{ key, sendsSecrets },
      manifest: files === undefined ? manifest : withFiles(manifest, byKey(key, found)),
      ...(id === undefined ? {} : { id }),
    })
  } finally {
    await opened?.remove()
    await files?.remove()
  }
}

function byKey(key: string, { files, features }: Awaited<ReturnType<typeof findFiles>>) {
  if (features !== undefined) return { files: new Map(), features: new Map([[key, features]]) }
  return { files: new Map([[key, files]]) }
}

function refused(faults: readonly InputFault[]) {
  return problem(
    'usage/bad-argument',
    faults.map(({ property, reason }) => `${property}: ${reason}`).join('\n'),
    { hint: undefined },
  )
}
