import {
  findGeoserviceFaults,
  type Geoservice,
  type GeoserviceType,
  geoserviceTypes,
} from '../../../contract/catalog/catalog.ts'
import { showValue } from '../../../contract/schema/describe.ts'
import type { Issue } from '../../../core/issue.ts'
import { splitPointer } from '../../../core/pointer.ts'
import { catchProblem } from '../../../core/problem.ts'
import { formatSpan } from '../../../core/span.ts'
import { findHint } from '../../../core/suggest.ts'
import { parseBoundary } from '../../../geo/boundary.ts'
import { findMemberHint, findValueHint } from '../../../manifest/catalog/record_block.ts'
import type { WantedCatalog, WantedRecord } from '../../../manifest/manifest.ts'
import { recordValidator } from '../../../manifest/validators.ts'
import type { ActualCatalog, ActualRecord } from '../actual_catalog.ts'
import { convertCells, dropForeignMembers, importedMembers } from './import_members.ts'
import type { ImportRow } from './import_row.ts'

/** Geoservices to import, with all faults of their rows. */
export interface PreparedImport {
  readonly wanted: WantedCatalog
  readonly issues: readonly Issue[]
}

/** Icons of the catalog that imported records may name. */
interface ImportIcons {
  readonly names: readonly string[]
  /** Ids by name, by key, and by global identifier. */
  readonly idOf: Readonly<Record<'name' | 'key' | 'guid', ReadonlyMap<string, number>>>
}

const isNamed = (entry: readonly [string | null | undefined, number]): entry is readonly [string, number] =>
  typeof entry[0] === 'string'

/**
 * Icon of an imported record: an id of this catalog, null, or the reason why there is none. `foreign` is an icon of another
 * server, whose number means nothing here.
 */
type FoundIcon = { readonly id: number } | null | 'absent' | 'foreign' | 'unknown'

const textOf = (value: unknown) => String(value).trim().normalize('NFC')

/** Converts the rows of a file to geoservices, and checks them. Rows match records by global identifier, then by name. */
export function prepareImport(rows: readonly ImportRow[], actual: ActualCatalog): PreparedImport {
  const preparing = startPreparing(actual)
  for (const row of rows) prepareRow(preparing, row)
  const { wanted, issues, listed, withoutIcon } = preparing
  return {
    wanted: { icon: new Map(), geoservice: wanted },
    issues: [...issues, ...reportListed(listed), ...reportIcons(withoutIcon)],
  }
}

interface Preparing {
  readonly byGuid: ReadonlyMap<string | undefined, ActualRecord>
  readonly byName: ReadonlyMap<string, ActualRecord>
  readonly icons: ImportIcons
  /** The first row of each name and global identifier. */
  readonly seen: Map<string, ImportRow>
  readonly wanted: Map<string, WantedRecord>
  readonly issues: Issue[]
  /** New records of a list, which does not have the addresses of services. */
  readonly listed: ImportRow[]
  /** Records with an icon of another server that this catalog does not have. */
  readonly withoutIcon: ImportRow[]
}

function startPreparing({ geoservice, icon }: ActualCatalog): Preparing {
  const services = [...geoservice.values()]
  return {
    byGuid: new Map(services.map((one) => [one.guid, one] as const)),
    byName: new Map(services.map((one) => [one.name, one] as const)),
    icons: indexIcons([...icon.values()]),
    seen: new Map(),
    wanted: new Map(),
    issues: [],
    listed: [],
    withoutIcon: [],
  }
}

function prepareRow(preparing: Preparing, row: ImportRow): void {
  const { issues, wanted, listed } = preparing
  const actual = findActual(preparing, row)
  if (actual === undefined && isListed(row)) {
    listed.push(row)
    return
  }
  const members = importedMembers(row, actual)
  const type = geoserviceTypes.find((one) => one === members.type)
  if (type === undefined) {
    issues.push(typeIssue(row, members.type))
    return
  }
  const own = setIcon(preparing, row, convertCells(dropForeignMembers(members, type), type))
  const faults = [...checkMembers(row, own, type), ...checkDuplicates(preparing, row, own)]
  issues.push(...faults)
  const key = String(own.name)
  const spanOf = (pointer: string) => row.spanOf(splitPointer(pointer)[0])
  if (faults.length === 0) wanted.set(key, { key, kind: 'geoservice', members: own, spanOf })
}

function findActual({ byGuid, byName }: Preparing, { members }: ImportRow): ActualRecord | undefined {
  const { guid, name } = members
  return byGuid.get(String(guid).toLowerCase()) ?? byName.get(String(name).trim().normalize('NFC'))
}

/** Tells whether a record is from a list of the API, where records have no address. */
function isListed({ members }: ImportRow): boolean {
  const { id, guid, url, origin_url: origin } = members
  return id !== undefined && guid !== undefined && url === undefined && origin === undefined
}

function reportListed(rows: readonly ImportRow[]): Issue[] {
  const [first] = rows
  if (first === undefined) return []
  const what = rows.length === 1 ? 'a record has' : `${rows.length} records have`
  return [
    {
      code: 'catalog/invalid',
      severity: 'error',
      message: `${what} no url: lists of the API do not have the addresses of services`,
      span: first.spanOf(),
      hint: 'Import from the catalog itself, with landform catalog import https://…, or import the details, /api/v1/geoservices/ID/.',
    },
  ]
}

function reportIcons(rows: readonly ImportRow[]): Issue[] {
  const [first] = rows
  if (first === undefined) return []
  const isNamed = rows.some(({ members }) => members.icon_guid !== undefined)
  const records = rows.length === 1 ? '1 record' : `${rows.length} records`
  const why = isNamed
    ? 'an icon that this catalog does not have'
    : 'an icon by its number, which is a number of another server'
  return [
    {
      code: 'catalog/foreign-icon',
      severity: 'warning',
      message: `${records} with ${why}: the icon is left out`,
      span: first.spanOf('icon'),
      hint: isNamed
        ? 'Add the icons to the catalog first, with the same guid or name.'
        : 'Name icons by name, key or guid.',
    },
  ]
}

interface Fault {
  readonly member: string
  readonly message: string
  readonly hint?: string | undefined
}

function issueOf(row: ImportRow, { member, message, hint }: Fault): Issue {
  const { pointer } = row
  return {
    code: 'catalog/invalid',
    severity: 'error',
    message: `${pointer === '' ? '' : `${pointer}/`}${member}: ${message}`,
    span: row.spanOf(member),
    ...(pointer === '' ? {} : { pointer: `${pointer}/${member}` }),
    ...(hint === undefined ? {} : { hint }),
  }
}

function typeIssue(row: ImportRow, type: unknown): Issue {
  const known = geoserviceTypes.join(', ')
  const message = type === undefined || type === '' ? 'missing type' : `unknown type ${showValue(type)}`
  return issueOf(row, { member: 'type', message, hint: `use one of ${known}` })
}

type Members = Readonly<Record<string, unknown>>

/** Converts the icon of a record to `{id}`. */
function setIcon(preparing: Preparing, row: ImportRow, members: Members): Members {
  const { icons, issues, withoutIcon } = preparing
  const { icon, icon_guid, icon_name, ...rest } = members
  const found = findIcon(icons, members)
  if (found === 'absent') return rest
  if (found === 'foreign') withoutIcon.push(row)
  else if (found === 'unknown') issues.push(unknownIcon(icons, row, icon ?? icon_guid ?? icon_name))
  else return { ...rest, icon: found }
  return rest
}

function unknownIcon({ names }: ImportIcons, row: ImportRow, icon: unknown): Issue {
  return issueOf(row, {
    member: 'icon',
    message: `the catalog has no icon ${showValue(icon)}`,
    hint: findHint(String(icon), names) ?? 'use the name, key or guid of an icon of the catalog',
  })
}

function checkMembers(row: ImportRow, members: Members, type: GeoserviceType): Issue[] {
  const faults = recordValidator(type)(members).map(({ kind, pointer, message, hint }): Fault => {
    const [member = ''] = splitPointer(pointer)
    const [, missing] = kind === 'missing-field' ? (/"(.*)"/.exec(message) ?? []) : []
    const known = kind === 'unknown-field' ? findMemberHint('geoservice', member) : findValueHint(pointer)
    return { member: missing ?? member, message, hint: known ?? hint }
  })
  // Only manifests rename records.
  if ('was' in members) faults.push({ member: 'was', message: 'unknown field "was"' })
  if (faults.length > 0) return faults.map((fault) => issueOf(row, fault))
  return [...findGeoserviceFaults(members as Partial<Geoservice>), ...checkBoundary(members)].map((fault) =>
    issueOf(row, fault),
  )
}

function checkBoundary({ boundary }: Members): Fault[] {
  if (boundary === undefined || boundary === null) return []
  if (typeof boundary !== 'string')
    return [
      { member: 'boundary', message: 'expected WKT', hint: 'write POLYGON((…)) or MULTIPOLYGON(((…)))' },
    ]
  const fault = catchProblem(() => parseBoundary(boundary))
  return fault === undefined ? [] : [{ member: 'boundary', message: fault.message, hint: fault.hint }]
}

/** Reports a name or global identifier that an earlier row has. */
function checkDuplicates({ seen }: Preparing, row: ImportRow, members: Members): Issue[] {
  return ['name', 'guid'].flatMap((member) => {
    const value = members[member]
    if (typeof value !== 'string') return []
    const id = `${member} ${value}`
    const first = seen.get(id)
    if (first === undefined) {
      seen.set(id, row)
      return []
    }
    const message = `${showValue(value)} is also in ${formatSpan(first.spanOf(member))}`
    return [issueOf(row, { member, message, hint: 'Keep one of the records.' })]
  })
}

/** Indexes the icons of a catalog. */
function indexIcons(icons: readonly ActualRecord[]): ImportIcons {
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

/** Finds the icon of an imported record: by name, key or guid, and by `icon_guid` and `icon_name`. */
function findIcon({ idOf }: ImportIcons, members: Readonly<Record<string, unknown>>): FoundIcon {
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
