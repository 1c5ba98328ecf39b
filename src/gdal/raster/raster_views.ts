import type { Dataset } from 'gdal-async'
import type { GdalModule } from '../runner/gdal_module.ts'

/** The module of GDAL, and the rasters that were made with it as views of others. */
export interface RasterViews {
  readonly gdal: GdalModule
  /** Closes all views, the last first: a view that is closed after its source crashes the process. */
  close(): void
}

/** Returns the module with `translate` and `warp` that remember what they return. */
export function trackViews(gdal: GdalModule): RasterViews {
  const views: Dataset[] = []
  const track = (view: Dataset) => {
    views.push(view)
    return view
  }
  const tracking: GdalModule = Object.create(gdal, {
    translate: { value: (...args: Parameters<GdalModule['translate']>) => track(gdal.translate(...args)) },
    warp: { value: (...args: Parameters<GdalModule['warp']>) => track(gdal.warp(...args)) },
  })
  return {
    gdal: tracking,
    close: () => {
      for (const view of views.toReversed()) view.close()
    },
  }
}
