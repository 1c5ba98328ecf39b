import { createHash, randomUUID } from 'node:crypto'
import { catalogLimits, findGeoserviceFaults, type Geoservice } from '../../contract/catalog/catalog.ts'
import { normalizeTexts } from '../../contract/catalog/catalog_text.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import { type Boundary, parseBoundary } from '../../geo/boundary.ts'
import { drawIcon } from '../../render/icon_image.ts'
import { geoserviceColumns } from '../../store/catalog/catalog_record.ts'
import type { GeoserviceRow, IconRow } from '../../store/catalog/write_record.ts'
import type { Members } from './catalog_operation.ts'

/** Creates the error for an invalid member of a record. */
export function invalidMember(member: string, message: string, hint?: string): Problem {
  return problem('catalog/invalid', `${message} - at $.${member}`, {
    data: { location: ['body', `/${member}`] },
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Defaults of columns that are not null. */
const defaults: Readonly<Record<string, unknown>> = { y_origin_top: false, turn_over: false }

/**
 * Returns the row of a geoservice.
 *
 * @param members all members; those that are absent have their default
 * @throws {Problem} catalog/invalid
 */
export function geoserviceRow(
  id: number,
  members: Members,
  iconId: number | null,
): GeoserviceRow & { readonly boundary: Boundary | undefined } {
  const [fault] = findGeoserviceFaults(members as Partial<Geoservice>)
  if (fault !== undefined) throw invalidMember(fault.member, fault.message, fault.hint)
  const texts = normalizeTexts(members)
  const columns = Object.fromEntries(
    geoserviceColumns.map((name) => [name, texts[name] ?? defaults[name] ?? null]),
  )
  const { boundary, guid = randomUUID() } = members
  const boundaryText = typeof boundary === 'string' ? boundary : null
  return {
    id,
    columns: { ...columns, guid },
    iconId,
    boundaryText,
    boundary: boundaryText === null ? undefined : readBoundary(boundaryText),
  }
}

/**
 * Parses a boundary.
 *
 * @throws {Problem} catalog/invalid
 */
export function readBoundary(text: string): Boundary {
  try {
    return parseBoundary(text)
  } catch (error) {
    throw isProblem(error) ? invalidMember('boundary', error.message) : error
  }
}

/** Image of an icon, checked. */
export type CheckedImage = NonNullable<IconRow['image']>

/**
 * Decodes and checks the image of an icon.
 *
 * @throws {Problem} catalog/invalid
 */
export async function readImage({ image }: Members): Promise<CheckedImage | undefined> {
  if (typeof image !== 'string') return undefined
  const bytes = Buffer.from(image, 'base64')
  if (bytes.toString('base64').replace(/=+$/, '') !== image.replace(/=+$/, ''))
    throw invalidMember('image', 'the image is not base64')
  if (bytes.length > catalogLimits.iconBytes)
    throw invalidMember(
      'image',
      `the image has ${bytes.length} bytes; the limit is ${catalogLimits.iconBytes}`,
    )
  const icon = await drawIcon(bytes, catalogLimits.iconPixels)
  if ('fault' in icon) throw invalidMember('image', `the image cannot be used: ${icon.fault}`)
  return { bytes, drawn: icon.drawn, digest: createHash('sha256').update(bytes).digest('hex') }
}

/**
 * Returns the row of an icon.
 *
 * @throws {Problem} catalog/invalid
 */
export function iconRow(id: number, members: Members, image: CheckedImage | undefined): IconRow {
  const {
    keyname = null,
    manifest = null,
    name,
    guid = randomUUID(),
  } = normalizeTexts(members) as Partial<IconRow>
  return { id, keyname, manifest, name: String(name), guid, image }
}
