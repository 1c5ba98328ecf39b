import type { Cls } from '../contract/registry.ts'
import { findAtPointer } from '../core/pointer.ts'
import { completeData } from './data_source.ts'
import { completeFeatures } from './feature_inputs.ts'
import type { Properties, Values } from './property_values.ts'
import { completeFiles, hasKnownFiles, openFiles } from './resource_files.ts'
import { findFiles, type InputFault, makeManifest, type ResourceInputs } from './resource_manifest.ts'
import { findMisplacedSecrets, listSecrets } from './resource_secrets.ts'
import { parseUrn } from './resource_type.ts'

/** Inputs to check. */
export interface CheckQuery {
  readonly news: Properties
  /** Checked inputs of the last update. */
  readonly olds?: Values
  /** How the key is chosen if the program does not set it; by the name of the resource if absent. */
  readonly naming?: { readonly proposed: string } | 'required'
}

/** Checked inputs, with the pointers of their secrets. */
export interface Checked {
  readonly values: Values
  readonly secrets: readonly string[]
  readonly faults: readonly InputFault[]
  /** What is valid, but probably wrong. */
  readonly warnings: readonly InputFault[]
}

/** A resource to check. */
export interface CheckedQuery extends CheckQuery {
  readonly urn: string
  readonly cls: Cls
  readonly place: Pick<ResourceInputs, 'manifestId' | 'folder'>
}

/** Checks inputs without a server, and completes the key, the display name and the digests of data and files. */
export async function checkInputs(query: CheckedQuery): Promise<Checked> {
  const { cls, place, urn } = query
  const { values: news, secrets, unknowns } = query.news
  const key = news.key ?? nameOf(urn, query)
  const named = { ...news, ...(key === undefined ? {} : { key, display_name: news.display_name ?? key }) }
  const data = await completeData(named, place.folder)
  const made = makeManifest({ ...place, cls, inputs: data.inputs, unknowns })
  const files = made.faults.length > 0 ? unchanged(data.inputs) : await checkFiles(query, data.inputs)
  return {
    values: files.inputs,
    secrets: [...secrets.flatMap(placesOfSecret), ...writtenSecrets(cls, files.inputs)],
    faults: [
      ...findMisplacedSecrets(cls, secrets),
      ...(key === undefined ? [missingKey] : []),
      ...made.faults,
      ...data.faults.filter(({ property }) => !made.faults.some((fault) => fault.property === property)),
      ...files.faults,
    ],
    warnings: made.warnings,
  }
}

/** Returns the pointers of a secret in completed inputs: what is completed from it is secret, too. */
function placesOfSecret(pointer: string): string[] {
  if (/^\/files?\//.test(pointer)) return [pointer.startsWith('/files/') ? '/files' : '/file']
  if (pointer.startsWith('/features/attachments/')) return ['/features/attachments']
  return pointer.startsWith('/data/source') ? [pointer, '/data/digest'] : [pointer]
}

interface CompletedFiles {
  readonly inputs: Values
  readonly faults: readonly InputFault[]
}

const unchanged = (inputs: Values): CompletedFiles => ({ inputs, faults: [] })

async function checkFiles({ cls, place }: CheckedQuery, inputs: Values): Promise<CompletedFiles> {
  if (!hasKnownFiles(cls, inputs)) return unchanged(inputs)
  const opened = await openFiles(cls, inputs, place.folder)
  try {
    if (opened.faults.length > 0) return { inputs, faults: opened.faults }
    const made = makeManifest({ ...place, cls, inputs, files: opened.block })
    const { files, features, faults } = await findFiles(made)
    if (faults.length > 0) return { inputs, faults }
    if (features !== undefined)
      return unchanged({ ...inputs, ...(await completeFeatures(features, opened.sourceOf)) })
    return unchanged({ ...inputs, ...(await completeFiles(cls, files, opened)) })
  } finally {
    await opened.remove()
  }
}

/** Lists the pointers of secrets of a class that inputs have. */
export function writtenSecrets(cls: Cls, inputs: Values): string[] {
  return listSecrets(cls).filter((pointer) => findAtPointer(inputs, pointer) !== undefined)
}

const missingKey: InputFault = {
  property: 'key',
  reason: 'missing; set it, because automatic names are disabled by pulumi:autonaming',
}

/** Chooses the key of a resource that does not set it; one that was proposed earlier is kept. */
function nameOf(urn: string, { naming, olds }: CheckQuery): unknown {
  if (naming === undefined) return parseUrn(urn).name
  return naming === 'required' ? undefined : (olds?.key ?? naming.proposed)
}
