import type { GeometryFamily } from '../../../contract/geometry.ts'
import type { JobWindow } from '../../../render/image/draw_job.ts'
import type { LegendEntry } from '../../../style/legend_entries.ts'

/** Changes with every version of the renderer that draws legends differently. */
export const legendVersion = 6

/** Symbols of a style and what they are drawn for. */
export interface Legend {
  /** Everything that its drawings depend on. */
  readonly key: readonly unknown[]
  /** Display name of the layer. */
  readonly title: string
  readonly family: GeometryFamily
  /** Opacity of the layer, 0 to 1. */
  readonly opacity: number
  readonly entries: readonly LegendEntry[]
  /**
   * Fetches the pictures of a legend that another service draws.
   *
   * @throws {Problem} external/*
   */
  readonly fetchPictures?: (signal: AbortSignal) => Promise<readonly JobWindow[]>
}
