import {
  findGeoserviceFaults,
  type Geoservice,
  type GeoserviceType,
  geoserviceTypes,
} from '../../../contract/catalog.ts'
import { showValue } from '../../../contract/describe.ts'
import type { Issue } from '../../../core/issue.ts'
import { splitPointer } from '../../../core/pointer.ts'
import { catchProblem } from '../../../core/problem.ts'
import { formatSpan } from '../../../core/span.ts'
import { findHint } from '../../../core/suggest.ts'
import { parseBoundary } from '../../../geo/boundary.ts'
import { findMemberHint } from '../../../manifest/catalog/record_block.ts'
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

/** Converts the rows of a file to geoservices, and checks them. Rows match records by global identifier, then by name. */
export function prepareImport(rows: readonly ImportRow[], actual: ActualCatalog): PreparedImport {
  const preparing = startPreparing(actual)
  for (const row of rows) prepareRow(preparing, row)
  return { wanted: { icon: new Map(), geoservice: preparing.wanted }, issues: preparing.issues }
}

interface Preparing {
  readonly byGuid: ReadonlyMap<string | undefined, ActualRecord>
  readonly byName: ReadonlyMap<string, ActualRecord>
  readonly iconIds: ReadonlySet<number>
  readonly iconIdOf: ReadonlyMap<string, number>
  /** The first row of each name and global identifier. */
  readonly seen: Map<string, ImportRow>
  readonly wanted: Map<string, WantedRecord>
  readonly issues: Issue[]
}

function startPreparing({ geoservice, icon }: ActualCatalog): Preparing {
  const services = [...geoservice.values()]
  return {
    byGuid: new Map(services.map((one) => [one.guid, one] as const)),
    byName: new Map(services.map((one) => [one.name, one] as const)),
    iconIds: new Set(icon.keys()),
    iconIdOf: new Map([...icon.values()].map(({ name, id }) => [name, id] as const)),
    seen: new Map(),
    wanted: new Map(),
    issues: [],
  }
}

function prepareRow(preparing: Preparing, row: ImportRow): void {
  const { byGuid, byName, issues, wanted } = preparing
  const { guid, name } = row.members
  const actual = byGuid.get(String(guid).toLowerCase()) ?? byName.get(String(name))
  const members = importedMembers(row, actual)
  const type = geoserviceTypes.find((one) => one === members.type)
  if (type === undefined) {
    issues.push(typeIssue(row, members.type))
    return
  }
  const own = resolveIcon(preparing, row, convertCells(dropForeignMembers(members, type), type))
  const faults = [...checkMembers(row, own, type), ...checkDuplicates(preparing, row, own)]
  issues.push(...faults)
  const key = String(own.name)
  const spanOf = (pointer: string) => row.spanOf(splitPointer(pointer)[0])
  if (faults.length === 0) wanted.set(key, { key, kind: 'geoservice', members: own, spanOf })
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

/** Converts an icon, written as its id or its name, to `{id}`. */
function resolveIcon({ iconIds, iconIdOf, issues }: Preparing, row: ImportRow, members: Members): Members {
  const { icon, ...rest } = members
  if (icon === undefined || icon === null) return members
  const isNumber = typeof icon === 'number' || (typeof icon === 'string' && /^\d{1,9}$/.test(icon))
  const id = isNumber ? Number(icon) : iconIdOf.get(String(icon))
  if (id !== undefined && iconIds.has(id)) return { ...rest, icon: { id } }
  issues.push(
    issueOf(row, {
      member: 'icon',
      message: `the catalog has no icon ${showValue(icon)}`,
      hint:
        findHint(String(icon), [...iconIdOf.keys()]) ?? 'use the id or the name of an icon of the catalog',
    }),
  )
  return rest
}

function checkMembers(row: ImportRow, members: Members, type: GeoserviceType): Issue[] {
  const faults = recordValidator(type)(members).map(({ kind, pointer, message, hint }): Fault => {
    const [member = ''] = splitPointer(pointer)
    const [, missing] = kind === 'missing-field' ? (/"(.*)"/.exec(message) ?? []) : []
    const known = kind === 'unknown-field' ? findMemberHint('geoservice', member) : undefined
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
