import type { Issue } from '../../core/issue.ts'
import type { WantedCatalog, WantedRecord } from '../../manifest/manifest.ts'
import type { Change, Edit } from '../model/change.ts'
import { issueAt } from '../plan/issue_at.ts'
import type { ActualRecord } from './actual_catalog.ts'

/** Icons that records of a manifest may refer to. */
export interface KnownIcons {
  /** Icons of the catalog by id. */
  readonly actual: ReadonlyMap<number, ActualRecord>
  /** Ids of these icons by global identifier. */
  readonly idOfGuid: ReadonlyMap<string, number>
  /** Keys of the icons of the manifest by global identifier. */
  readonly keyOfGuid: ReadonlyMap<string, string>
  /** Keys by id of the icons of the manifest that keep their id. */
  readonly keyOf: ReadonlyMap<number, string>
}

/** A record whose icon is a key of the manifest or an id of the catalog, or the reason why it has none. */
export interface ResolvedRecord {
  readonly record: WantedRecord
  readonly issues: readonly Issue[]
}

/** Replaces the reference of a record to an icon, by id or by global identifier, with its key or its id. Pure. */
export function resolveIcon(record: WantedRecord, icons: KnownIcons): ResolvedRecord {
  const { icon } = record.members
  if (icon === null || typeof icon !== 'object') return { record, issues: [] }
  const { id, guid } = icon as { readonly id?: number; readonly guid?: string }
  const found = guid === undefined ? findById(id ?? 0, icons) : findByGuid(guid.toLowerCase(), icons)
  if (found !== undefined)
    return { record: { ...record, members: { ...record.members, icon: found } }, issues: [] }
  const what = guid === undefined ? `id ${id}` : `guid ${guid}`
  return {
    record,
    issues: [issueAt(record, 'plan/missing', `the catalog has no icon with ${what}`, '/icon')],
  }
}

type Reference = string | { readonly id: number }

function findById(id: number, { actual, keyOf }: KnownIcons): Reference | undefined {
  return actual.has(id) ? (keyOf.get(id) ?? { id }) : undefined
}

function findByGuid(guid: string, icons: KnownIcons): Reference | undefined {
  const id = icons.idOfGuid.get(guid)
  return id === undefined ? icons.keyOfGuid.get(guid) : findById(id, icons)
}

/** Indexes icons by their global identifiers. */
export function indexGuids(
  actual: KnownIcons['actual'],
  wanted: WantedCatalog['icon'],
): Pick<KnownIcons, 'idOfGuid' | 'keyOfGuid'> {
  return {
    idOfGuid: new Map(
      [...actual.values()].flatMap(({ guid, id }) => (guid === undefined ? [] : [[guid, id]])),
    ),
    keyOfGuid: new Map([...wanted.values()].map(({ members, key }) => [String(members.guid), key])),
  }
}

/** Adds the names of icons to the changes that show their ids. */
export function nameIcons(changes: readonly Change[], actual: KnownIcons['actual']): Change[] {
  const nameOf = (value: unknown) => {
    const { id } = (value ?? {}) as { readonly id?: number }
    const icon = id === undefined ? undefined : actual.get(id)
    return icon === undefined ? value : { id: icon.id, name: icon.name }
  }
  const nameEdit = (edit: Edit): Edit => ({
    ...edit,
    ...('from' in edit ? { from: nameOf(edit.from) } : {}),
    ...('to' in edit ? { to: nameOf(edit.to) } : {}),
  })
  return changes.map((change) => ({
    ...change,
    edits: change.edits.map((edit) => (edit.pointer === '/icon' ? nameEdit(edit) : edit)),
  }))
}
