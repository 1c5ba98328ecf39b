import { emptyBbox, extendBbox } from '../../geo/bbox.ts'
import { ellipsoidArea } from '../../geo/ellipsoid_area.ts'
import type { Part } from '../../geo/geometry.ts'
import { longitudeRange } from '../../geo/longitude_range.ts'
import { parseWkt } from '../../geo/wkt_reader.ts'

/** Boundary of a geoservice in words. */
export interface BoundaryText {
  readonly extent: string
  readonly area: string
}

/** Describes a boundary, EWKT in EPSG:4326; with empty strings if there is none. */
export function describeBoundary(ewkt: string | null): BoundaryText {
  const parts = ewkt === null ? [] : parseWkt(ewkt).geometry.parts
  if (parts.length === 0) return { extent: '', area: '' }
  return { extent: extentText(parts), area: areaText(ellipsoidArea(parts) / 1e6) }
}

/** The east of an extent across the antimeridian is less than its west. */
function extentText(parts: readonly Part[]): string {
  const boxes = parts.map(([ring = []]) => {
    const box = emptyBbox()
    for (let at = 0; at + 1 < ring.length; at += 2) extendBbox(box, ring[at] ?? 0, ring[at + 1] ?? 0)
    return box
  })
  const [west, east] = longitudeRange(boxes.map(([minX, , maxX]) => [minX, maxX]))
  const south = boxes.reduce((lowest, [, minY]) => Math.min(lowest, minY), 90)
  const north = boxes.reduce((highest, [, , , maxY]) => Math.max(highest, maxY), -90)
  const [from, to] = [degrees(west), degrees(east > 180 ? east - 360 : east)]
  return `longitude ${from} to ${to}, latitude ${degrees(south)} to ${degrees(north)}`
}

const degrees = (value: number) => `${Number(value.toFixed(4))}°`

/** Three digits: boundaries are not more precise. */
function areaText(squareKilometres: number): string {
  return `${Number(squareKilometres.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 })} km²`
}
