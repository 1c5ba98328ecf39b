import { invalidAt } from '../../http/invalid_request.ts'
import { rowBehaviour } from '../row.ts'

/** Styles of raster layers. */
export const rasterStyleBehaviour = rowBehaviour({
  cls: 'raster_style',
  check: async (_, rows) => {
    for (const { stretch } of rows.values()) {
      const { min, max } = stretch ?? {}
      if (min !== undefined && max !== undefined && min >= max)
        throw invalidAt('/raster_style/stretch/min', `${min} is not less than max, which is ${max}`)
    }
  },
})
