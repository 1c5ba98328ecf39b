import type { ActualRecord } from '../actual_catalog.ts'

/** Icons of the catalog that imported records may name. */
export interface ImportIcons {
  readonly names: readonly string[]
  /** Ids by name, by key, and by global identifier. */
  readonly idOf: Readonly<Record<'name' | 'key' | 'guid', ReadonlyMap<string, number>>>
}

/** Indexes the icons of a catalog. */
export function indexIcons(icons: readonly ActualRecord[]): ImportIcons {
  const index = (textOf: (icon: ActualRecord) => string | null | undefined) =>
    new Map(icons.flatMap((icon) => [[textOf(icon), icon.id] as const]).filter(isNamed))
  return {
    names: icons.map(({ name }) => name),
    idOf: {
      name: index(({ name }) => name),
      key: index(({ keyname }) => keyname),
      guid: index(({ guid }) => guid),
    },
  }
}

const isNamed = (entry: readonly [string | null | undefined, number]): entry is readonly [string, number] =>
  typeof entry[0] === 'string'

/**
 * Icon of an imported record: an id of this catalog, null, or the reason why there is none. `foreign` is an icon of another
 * server, whose number means nothing here.
 */
export type FoundIcon = { readonly id: number } | null | 'absent' | 'foreign' | 'unknown'

/** Finds the icon of an imported record: by name, key or guid, and by `icon_guid` and `icon_name`. */
export function findIcon({ idOf }: ImportIcons, members: Readonly<Record<string, unknown>>): FoundIcon {
  const { icon, icon_guid: guid, icon_name: name } = members
  const known = [icon, guid, name].filter((one) => one !== undefined && one !== null)
  if (known.length === 0) return icon === null ? null : 'absent'
  const own = typeof icon === 'string' ? findNamed(idOf, icon) : undefined
  const id = own ?? idOf.guid.get(String(guid).toLowerCase()) ?? idOf.name.get(textOf(name))
  if (id !== undefined) return { id }
  const isNumber = typeof icon === 'number' || (typeof icon === 'string' && /^\s*\d+\s*$/.test(icon))
  return isNumber ? 'foreign' : 'unknown'
}

function findNamed({ name, key, guid }: ImportIcons['idOf'], icon: string): number | undefined {
  const text = textOf(icon)
  return name.get(text) ?? key.get(text) ?? guid.get(text.toLowerCase())
}

const textOf = (value: unknown) => String(value).trim().normalize('NFC')
