import { imageLimits } from '../../contract/formats/image_format.ts'
import { invalidValue } from './wms_fault.ts'

/** Returns the value of a parameter; undefined if it is missing or empty. */
export type Get = (name: string) => string | undefined

/** Dots per inch for which styles are made. */
const usualDpi = 96

/**
 * Reads the device pixels per pixel from the dots per inch that clients state for prints, by the parameters of QGIS Server, MapServer and
 * GeoServer. Displays of fewer dots show symbols in their usual size.
 *
 * @throws {WmsFault}
 */
export function readPixelRatio(get: Get): number {
  const given = ['DPI', 'MAP_RESOLUTION'].map((name) => [name, get(name)] as const)
  const [name, text] = given.find(([, value]) => value !== undefined) ?? [
    'FORMAT_OPTIONS',
    /(?:^|;)\s*dpi\s*:\s*([^;]*)/i.exec(get('FORMAT_OPTIONS') ?? '')?.[1]?.trim(),
  ]
  if (text === undefined) return 1
  const dpi = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0
  if (!(dpi > 0)) throw invalidValue(name, text, 'a number of dots per inch, such as 300')
  return Math.min(imageLimits.scale, Math.max(1, dpi / usualDpi))
}
