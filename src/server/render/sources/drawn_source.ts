import type { LabelChoice } from '../../../contract/formats/image_format.ts'
import type { Bbox } from '../../../geo/bbox.ts'
import type { FeatureJobLayer, JobLayer } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import type { PermissionSubject } from '../../../store/access/permission_subject.ts'
import type { RenderSource } from '../../../store/classes/render_source.ts'
import type { KeptTiles } from '../../../store/classes/tile_cache.ts'
import type { TrackedLayer } from '../../../store/layer/stored_layer.ts'
import type { ServerContext } from '../../context.ts'

/** How a source is read. */
export interface ReadOptions {
  readonly signal: AbortSignal
  /** Whether images of other services are fetched again. */
  readonly isFresh: boolean
  /** Whether the image shows labels, or nothing else. */
  readonly labels: LabelChoice
}

/** A resource that is drawn on an image. */
export interface DrawnSource {
  /**
   * Everything that its image depends on apart from the frame and the data of its layer. Undefined if its changes are not tracked: then images of it
   * are not cached. The key of a source with a time to live has the period in which its content is fetched.
   */
  readonly key: readonly unknown[] | undefined
  /** The layer that it shows; missing for sources without features, and if changes are not tracked. */
  readonly shown?: ShownLayer
  /** Tiles that are kept on disk; null if none are. */
  readonly keptTiles: KeptTiles | null
  /** Host of another service that it is read from, for which a turn to draw does not wait. */
  readonly fetchedFrom?: string | undefined
  /** Reads what lies in a frame. */
  read(frame: ImageFrame, options: ReadOptions): Promise<JobLayer>
  /** Returns what is labelled at a scale; undefined without labels. Missing for sources that never have labels. */
  findLabels?(scaleDenom: number): Promise<LabelledSource | undefined>
}

/** A layer that a source shows. */
export interface ShownLayer {
  readonly layer: TrackedLayer
  /**
   * Returns the areas of EPSG:3857 in which features decide what an image shows; undefined if those of the whole layer do, or
   * for a frame in another reference system.
   */
  findAreas(frame: ImageFrame): Promise<readonly Bbox[] | undefined>
}

/** A source without the settings that all classes have. */
export type OpenedSource = Omit<DrawnSource, 'keptTiles'>

/** Features of a source that have labels. */
export interface LabelledSource {
  /** What identifies the source and its style, and the version of its data if their changes are not tracked. */
  readonly key: readonly unknown[]
  /** Reads what decides the labels of a frame: complete parts that begin in it. */
  read(frame: ImageFrame, signal: AbortSignal): Promise<FeatureJobLayer>
}

/** A resource to draw. */
export interface DrawnResource extends RenderSource {
  /** Positions of the symbols of its legend to draw; absent for all that its style draws. */
  readonly symbols?: ReadonlySet<number>
  /** Condition that its features have to meet, as JSON; absent for all. */
  readonly filter?: string
}

/** Opens the resources of some classes for drawing. */
export interface SourceKind {
  /** Classes that it draws. */
  readonly classes: readonly string[]
  /**
   * Opens resources of these classes, in the order given.
   *
   * @param caller whose permission decides on labels of lookup tables
   * @throws {Problem} resource/not-found
   */
  open(
    context: ServerContext,
    resources: readonly DrawnResource[],
    caller: PermissionSubject,
  ): Promise<OpenedSource[]>
}
