import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { unclampedMercatorOfLonLat } from '../../geo/mercator.ts'
import { formatWkt } from '../../geo/wkt.ts'
import { parseBox } from '../options.ts'

/** Query parameters of a feature filter. */
export interface Filter {
  readonly query: { readonly intersects?: string }
  /** Name and value, in order. */
  readonly more: readonly (readonly [name: string, value: string])[]
}

/** Declares the filter options of commands. */
export function filterOptions(command: Command): Command {
  return command
    .option(
      '--filter <field=value>',
      'filter by field=value, or field__op=value with gt, ge, lt, le, ne, like, ilike, in, isnull; may be repeated',
      addFilter,
    )
    .option('--bbox <w,s,e,n>', 'filter by intersection with a box in degrees', readBox)
}

/** Reads the filter options. */
export function readFilter({ filter, bbox }: Readonly<Record<string, unknown>>): Filter {
  return {
    query: bbox === undefined ? {} : { intersects: String(bbox) },
    more: (filter as Filter['more'] | undefined) ?? [],
  }
}

function addFilter(text: string, before: Filter['more'] = []): Filter['more'] {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(at, 0)).trim()
  if (name === '') throw new InvalidArgumentError('Use a filter such as name=Oslo or people__gt=1000.')
  const isId = name === 'id' || name.startsWith('id__')
  return [...before, [isId ? name : `fld_${name}`, text.slice(at + 1)]]
}

function readBox(text: string): string {
  const [west, south, east, north] = parseBox(text)
  const [low, high] = [unclampedMercatorOfLonLat(west, south), unclampedMercatorOfLonLat(east, north)]
  const ring = [low, [high[0], low[1]], high, [low[0], high[1]], low].flat()
  return formatWkt({ family: 'POLYGON', isMulti: false, hasZ: false, parts: [[ring]] })
}
