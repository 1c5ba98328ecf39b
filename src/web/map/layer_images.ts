import ImageLayer from 'ol/layer/Image'
import type Layer from 'ol/layer/Layer'
import TileLayer from 'ol/layer/Tile'
import type { LabelChoice } from '../../contract/formats/image_format.ts'
import {
  imagesLabelledAbove,
  type LayersImage,
  labelledLayers,
  type MapLayer,
  resolutionLimits,
} from '../../style/map_layers.ts'
import type { Load } from '../recovery.ts'
import { type ImageLoads, openLoads } from './image_loads.ts'
import { createLabelTiles } from './label_tiles.ts'
import { isOfLayers, shownLayers } from './server_image.ts'
import { TileImageSource } from './tile_images.ts'
import { ViewImageSource } from './view_image.ts'

/** Layers of the map, and the OpenLayers layers that show them. */
export interface LayerImages {
  /** From top to bottom. */
  readonly layers: readonly DrawnLayer[]
  readonly drawn: readonly Layer[]
  /** Takes the current state of layers, and draws those again that have changed; returns these. */
  refresh(layers: readonly MapLayer[]): readonly MapLayer[]
}

/** Layer of the map that is shown and hidden. */
export interface DrawnLayer {
  readonly layer: MapLayer
  isVisible(): boolean
  setVisible(visible: boolean): void
  /** Opacity, from 0 to 1. */
  opacity(): number
  setOpacity(opacity: number): void
}

/** Options of drawn layers. */
export interface LayerImagesOptions extends ImageLoads {
  /** The server cannot draw a layer; called once for each. */
  onUndrawable(layer: MapLayer, reason: string): void
}

/** A layer with the OpenLayers layer that shows it, or a group of which it is the lowest layer. */
interface Place extends ShownLayer {
  layer: MapLayer
  isVisible: boolean
  opacity: number
  isApart: boolean
  /** Layers that are shown in this place, from top to bottom. */
  group: readonly Place[]
  readonly drawn: Layer
  readonly source: TileImageSource | ViewImageSource
}

/** Layers of a place. */
interface PlaceImage extends LayersImage {
  /** From top to bottom. */
  readonly group: readonly Place[]
}

/** How a layer is shown at the moment. */
interface ShownLayer {
  readonly layer: MapLayer
  readonly isVisible: boolean
  /** 0 to 1. */
  readonly opacity: number
  /** Whether it is drawn alone, since it could not be drawn together with others. */
  readonly isApart: boolean
}

/** Maximum number of layers of a group, which is below that of a request. */
const maxLayers = 50

const mayJoin = ({ layer, opacity, isApart }: ShownLayer) =>
  layer.landform.hasFeatures && opacity === 1 && !isApart

/** Creates the OpenLayers layers, from top to bottom, from images that the server draws. */
export function drawLayers(layers: readonly MapLayer[], options: LayerImagesOptions): LayerImages {
  const places: Place[] = layers.map((layer, at) =>
    openPlace({ layer, zIndex: layers.length - at, options, arrange }),
  )
  const labels = createLabelTiles({ ...options, zIndex: layers.length + 1, onFault: arrange })
  arrange()
  return {
    drawn: [labels.drawn, ...places.map(({ drawn }) => drawn)],
    layers: places.map((place) => ({
      get layer() {
        return place.layer
      },
      isVisible: () => place.isVisible,
      setVisible(visible) {
        place.isVisible = visible
        arrange()
      },
      opacity: () => place.opacity,
      setOpacity(opacity) {
        place.opacity = opacity
        arrange()
      },
    })),
    refresh(current) {
      const changed = places.filter((place) => takeCurrent(place, current))
      if (changed.length > 0) arrange()
      return changed.map(({ layer }) => layer)
    },
  }

  /** Shows each group of layers in the place of its lowest layer, which changes least when others are hidden. */
  function arrange(): void {
    const images = new Map(groupLayers(places).map((group) => [group.at(-1), imageOf(group)]))
    const found = imagesLabelledAbove([...images.values()])
    const above = found.filter(({ group }) => !group.some(({ isApart }) => isApart))
    const isAbove = labels.show(above.flatMap(labelledLayers))
    for (const place of places) {
      const image = images.get(place)
      place.drawn.setVisible(image !== undefined)
      if (image !== undefined) showImage(place, image, isAbove && above.includes(image) ? 'no' : 'yes')
    }
  }
}

/** Takes the current state of the layer of a place; returns whether its images have changed. */
function takeCurrent(place: Place, current: readonly MapLayer[]): boolean {
  const { id, styleId, landform } = place.layer
  const found = current.find((one) => one.id === id && one.styleId === styleId)
  if (found === undefined || found.landform.version === landform.version) return false
  place.layer = { ...place.layer, landform: found.landform }
  return true
}

function imageOf(group: readonly Place[]): PlaceImage {
  return { group, layers: group.map(({ layer }) => layer), opacity: group[0]?.opacity ?? 1 }
}

function showImage(place: Place, { group, layers }: PlaceImage, labels: LabelChoice): void {
  const { min, max } = groupLimits(layers)
  place.group = group
  place.drawn.setOpacity(place.opacity)
  place.drawn.setMinResolution(min)
  place.drawn.setMaxResolution(max)
  place.source.setResources(...shownLayers(layers, labels))
}

interface PlaceOptions {
  readonly layer: MapLayer
  readonly zIndex: number
  readonly options: LayerImagesOptions
  /** Arranges the places again. */
  arrange(): void
}

function openPlace({ layer, zIndex, options, arrange }: PlaceOptions): Place {
  const onUndrawable = (reason: string) => {
    place.isApart = true
    place.drawn.setSource(null)
    // Without its labels.
    arrange()
    options.onUndrawable(layer, reason)
  }
  /** Draws the layers of a group one by one, so that only those are missing that cannot be drawn. */
  const onFault = (error: unknown) => {
    if (place.group.length < 2 || !isOfLayers(error)) return false
    for (const one of place.group) one.isApart = true
    arrange()
    return true
  }
  const label = () => place.group.map((one) => one.layer.label).join(', ')
  const images = openLoads(label, { ...options, onUndrawable, onFault })
  const { source, drawn } = openSource(layer, zIndex, images.load)
  const place: Place = {
    ...{ layer, drawn, source, group: [] },
    ...{ isVisible: layer.visibility, opacity: layer.opacity ?? 1, isApart: false },
  }
  images.onRecovered(() => {
    // A source of tiles that has changed would load all of them again.
    if (source instanceof ViewImageSource) source.showRecovered()
    else drawn.changed()
  })
  return place
}

function openSource({ adapter }: MapLayer, zIndex: number, load: Load): Pick<Place, 'drawn' | 'source'> {
  if (adapter === 'image') {
    const source = new ViewImageSource(load)
    return { source, drawn: new ImageLayer({ source, zIndex }) }
  }
  const source = new TileImageSource({ load })
  return { source, drawn: new TileLayer({ source, zIndex }) }
}

/**
 * Divides the visible layers, from top to bottom, into groups that the server draws together, so that their labels do not
 * overlap, and fewer images are requested. Only opaque layers with features are drawn together: those of other services
 * fail and rest on their own.
 */
function groupLayers<T extends ShownLayer>(layers: readonly T[]): T[][] {
  const groups: T[][] = []
  for (const one of layers.filter(({ isVisible }) => isVisible)) {
    const group = groups.at(-1)
    const above = group?.at(-1)
    if (group !== undefined && above !== undefined && group.length < maxLayers && isTogether(above, one))
      group.push(one)
    else groups.push([one])
  }
  return groups
}

function isTogether(one: ShownLayer, other: ShownLayer): boolean {
  if (!mayJoin(one) || !mayJoin(other)) return false
  const [a, b] = [one.layer, other.layer]
  return a.adapter === b.adapter && a.landform.keepsTiles === b.landform.keepsTiles
}

/** Returns the resolutions between which any of the layers is shown, as those of OpenLayers. */
function groupLimits(layers: readonly MapLayer[]): { min: number; max: number } {
  const limits = layers.map(resolutionLimits)
  return {
    min: Math.min(...limits.map(({ minResolution = 0 }) => minResolution)),
    max: Math.max(...limits.map(({ maxResolution = Infinity }) => maxResolution)),
  }
}
