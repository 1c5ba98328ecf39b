import { createHash } from 'node:crypto'
import type { Action } from '../../contract/bodies/journal.ts'
import { countOf } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import type { Change, FileUpload, Plan } from '../model/change.ts'
import type { PlanOptions } from '../model/plan_input.ts'
import type { Takes } from '../model/takes.ts'

/** Version of the file format, incremented with each incompatible change. */
export const savedPlanVersion = 2

/** A change of a saved plan. The digest is over what the plan shows of it, which has no secrets. */
export interface SavedChange {
  readonly action: Action
  readonly key: string
  readonly cls: string
  readonly id?: number
  /** Version of the resource during planning. */
  readonly version?: number
  /** Version of descriptions and attachments of features during planning, if the change writes or deletes them. */
  readonly extensions_version?: number
  /** Versions of the data that the change replaces or deletes, by key of the layer; absent if there are none. */
  readonly data_versions?: Readonly<Record<string, number>>
  /** SHA-256 of the change, in hexadecimal. */
  readonly digest: string
}

/** A file that a plan was computed from. */
export interface SavedFile {
  /** Relative to the working directory, with `/`. */
  readonly path: string
  /** SHA-256 in hexadecimal: of a manifest without the secrets in it, or of the bytes of a data file. */
  readonly sha256: string
}

/** Plan options as JSON: sets are sorted lists. */
export type SavedOptions = {
  readonly [Name in keyof PlanOptions]: PlanOptions[Name] extends ReadonlySet<string>
    ? readonly string[]
    : PlanOptions[Name]
}

/**
 * A plan in a file. It has no request bodies: apply computes the plan again from the same files and options, and refuses
 * it unless each change is the same. So the file has no secrets, and nothing that changed in between is overwritten.
 */
export interface SavedPlan {
  readonly landform_plan: number
  /** Time in ISO 8601. */
  readonly saved_at: string
  readonly manifest: string
  readonly server: string
  /** Git commit of the manifest. */
  readonly commit?: string
  /** Paths of the manifest on the command line. */
  readonly paths: readonly string[]
  readonly options: SavedOptions
  /** Users and groups that must not gain access. */
  readonly forbid_gain: readonly string[]
  /** Paths of policy files. */
  readonly policies: readonly string[]
  readonly files: readonly SavedFile[]
  readonly changes: readonly SavedChange[]
  readonly fingerprint: string
}

/** Describes the changes of a plan for a file. */
export function saveChanges({ changes }: Pick<Plan, 'changes'>): SavedChange[] {
  return changes.map((change) => {
    const { action, key, cls, id, version, extensions } = change
    return {
      ...{ action, key, cls },
      ...(id === undefined ? {} : { id }),
      ...(version === undefined ? {} : { version }),
      ...(extensions === undefined ? {} : { extensions_version: extensions.version }),
      ...dataVersionsOf(change),
      digest: digestChange(change),
    }
  })
}

function dataVersionsOf({ key, dataVersion, deletes = [] }: Change): Pick<SavedChange, 'data_versions'> {
  const own = dataVersion === undefined ? [] : [[key, dataVersion] as const]
  const deleted = deletes.flatMap((one) =>
    one.dataVersion === undefined ? [] : [[one.key, one.dataVersion] as const],
  )
  const all = [...own, ...deleted]
  return all.length === 0 ? {} : { data_versions: Object.fromEntries(all) }
}

/**
 * Digests all of a change that an apply needs, except the request body, which has secrets, and which the edits describe. Files are
 * compared by their bytes: their absolute paths differ between machines. Not every account may read who edited data.
 */
function digestChange(change: Change): string {
  const { body: _, password, data, image, files, features, takes, ...rest } = change
  const shown = {
    ...rest,
    password: password && { ...password, path: '', folder: '' },
    data: data && { ...data, path: '', edited: data.edited && { changes: data.edited.changes } },
    image: image?.source,
    files: files?.map(withoutPath),
    features: features && {
      ...features,
      items: features.items.map((item) => ({ ...item, attachments: item.attachments?.map(withoutPath) })),
    },
    takes: takes && withoutBytes(takes),
  }
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex')
}

/** Replaces the path of a file to upload by nothing. */
function withoutPath(file: object & { readonly upload?: FileUpload }): object {
  return file.upload === undefined ? file : { ...file, upload: { ...file.upload, path: '' } }
}

/** Storage changes when the database cleans up, without a change of the data. */
function withoutBytes({ bytes: _, below, ...takes }: Takes): object {
  return { ...takes, below: below?.map(({ bytes: __, ...one }) => one) }
}

/** Converts options to JSON. */
export function saveOptions(options: PlanOptions): SavedOptions {
  const list = (keys: ReadonlySet<string>) => [...keys].sort()
  return {
    ...options,
    allowDelete: list(options.allowDelete),
    replace: list(options.replace),
    overwriteData: list(options.overwriteData),
    allowLoss: list(options.allowLoss),
    sendSecrets: list(options.sendSecrets),
    take: list(options.take),
    only: list(options.only),
  }
}

/** Converts options from JSON. */
export function restoreOptions(options: SavedOptions): PlanOptions {
  return {
    ...options,
    allowDelete: new Set(options.allowDelete),
    replace: new Set(options.replace),
    overwriteData: new Set(options.overwriteData),
    allowLoss: new Set(options.allowLoss),
    sendSecrets: new Set(options.sendSecrets),
    take: new Set(options.take),
    only: new Set(options.only),
  }
}

/** Input of the comparison with a saved plan. */
export interface CurrentPlan {
  readonly changes: readonly SavedChange[]
  readonly files: readonly SavedFile[]
}

/** Reports what differs between a saved plan and the plan of the same manifest now. Pure. */
export function compareSaved(saved: CurrentPlan, current: CurrentPlan): Issue[] {
  return [...compareFiles(saved.files, current.files), ...compareChanges(saved.changes, current.changes)]
}

const stale = (message: string): Issue => ({ code: 'apply/stale', severity: 'error', message })

function compareFiles(saved: readonly SavedFile[], current: readonly SavedFile[]): Issue[] {
  const now = new Map(current.map(({ path, sha256 }) => [path, sha256]))
  const before = new Set(saved.map(({ path }) => path))
  const changed = saved.flatMap(({ path, sha256 }) => {
    const there = now.get(path)
    if (there === undefined) return [stale(`the plan no longer reads the file "${path}"`)]
    return there === sha256 ? [] : [stale(`the file "${path}" has changed since the plan was saved`)]
  })
  const added = current.filter(({ path }) => !before.has(path))
  return [...changed, ...added.map(({ path }) => stale(`the plan now also reads the file "${path}"`))]
}

function compareChanges(saved: readonly SavedChange[], current: readonly SavedChange[]): Issue[] {
  const now = new Map(current.map((one) => [nameOf(one), one]))
  const before = new Set(saved.map(nameOf))
  const differing = saved.flatMap((one) => {
    const there = now.get(nameOf(one))
    return there?.digest === one.digest ? [] : [stale(describeDifference(one, there))]
  })
  const added = current.filter((one) => !before.has(nameOf(one)))
  const more = added.map(({ key, action }) => stale(`"${key}" is now also to ${action}`))
  return [...differing, ...more]
}

const nameOf = ({ cls, key }: SavedChange) => `${cls} ${key}`

function describeDifference(saved: SavedChange, now: SavedChange | undefined): string {
  const { key, action, version, extensions_version: extensions } = saved
  if (now === undefined) return `"${key}" no longer has a change: the plan was to ${action} it`
  if (now.action !== action) return `"${key}" is now to ${now.action}: the plan was to ${action} it`
  if (version !== undefined && now.version !== undefined && now.version !== version) {
    const times = countOf(now.version - version, 'time')
    return `"${key}" was changed on the server ${times} since the plan was saved`
  }
  const edited = Object.entries(saved.data_versions ?? {}).find(
    ([label, one]) => (now.data_versions?.[label] ?? one) !== one,
  )
  if (edited !== undefined)
    return `the data of "${edited[0]}" were changed on the server since the plan was saved`
  if (
    extensions !== undefined &&
    now.extensions_version !== undefined &&
    now.extensions_version !== extensions
  )
    return `descriptions or attachments of features of "${key}" were changed on the server since the plan was saved`
  return `the change of "${key}" differs from the saved plan`
}
