import { InvalidArgumentError } from 'commander'

/** EPSG code of longitude and latitude. */
export const degrees = 4326

/** Parses `3857` or `EPSG:3857`. */
export function parseSrs(text: string): number {
  const code = /^(?:epsg:)?(\d{1,6})$/i.exec(text)?.[1]
  if (code === undefined || Number(code) === 0)
    throw new InvalidArgumentError('Use an EPSG code such as 3857.')
  return Number(code)
}
