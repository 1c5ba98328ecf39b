import type Collection from 'ol/Collection'
import { noModifierKeys, platformModifierKey } from 'ol/events/condition'
import DragPan from 'ol/interaction/DragPan'
import { defaults } from 'ol/interaction/defaults'
import Interaction, { zoomByDelta } from 'ol/interaction/Interaction'
import KeyboardPan from 'ol/interaction/KeyboardPan'
import KeyboardZoom from 'ol/interaction/KeyboardZoom'
import PinchRotate from 'ol/interaction/PinchRotate'
import PinchZoom from 'ol/interaction/PinchZoom'
import Kinetic from 'ol/Kinetic'
import type MapBrowserEvent from 'ol/MapBrowserEvent'
import type View from 'ol/View'

/**
 * Creates the interactions of a map. Wheel, drag and touch move it regardless of the focus, on a page that the user has
 * not clicked yet, too. `isForMap` tells whether arrow keys move the map.
 */
export function createInteractions(
  isForMap: (event: MapBrowserEvent) => boolean = () => true,
): Collection<Interaction> {
  const zoomDuration = durationOf(250)
  const own = { dragPan: false, pinchRotate: false, pinchZoom: false, keyboard: false }
  const interactions = defaults({ onFocusOnly: false, zoomDuration, ...own })
  const kinetic = prefersReducedMotion() ? {} : { kinetic: new Kinetic(-0.005, 0.05, 100) }
  const duration = durationOf(100)
  interactions.extend([
    new PinchRotate({ duration: zoomDuration }),
    new NearestPinchZoom(),
    new SettledDragPan(kinetic),
    new KeyboardPan({ duration, condition: (event) => noModifierKeys(event) && isForMap(event) }),
    new KeyboardZoom({ duration, condition: (event) => !platformModifierKey(event) }),
    new EqualsZoom({ duration }),
  ])
  return interactions
}

/**
 * Ends a pinch at the nearest zoom level. OpenLayers ends it at the next one in its direction, so that two fingers that drag or
 * turn the map zoom it, too: their distance always changes a little.
 */
class NearestPinchZoom extends PinchZoom {
  override handleUpEvent({ map }: MapBrowserEvent<PointerEvent>): boolean {
    if (this.targetPointers.length >= 2) return true
    map.getView().endInteraction(durationOf(250))
    return false
  }
}

/** Zooms in by the key `=`, which is plus without Shift on many keyboards. */
class EqualsZoom extends Interaction {
  readonly #duration: number

  constructor({ duration }: { readonly duration: number }) {
    super()
    this.#duration = duration
  }

  override handleEvent(event: MapBrowserEvent<KeyboardEvent>): boolean {
    if (event.type !== 'keydown' || event.originalEvent.key !== '=' || platformModifierKey(event)) return true
    zoomByDelta(event.map.getView(), 1, undefined, this.#duration)
    event.originalEvent.preventDefault()
    return false
  }
}

/** Moves a map that is still zooming once it has the zoom level to which it zooms. */
class SettledDragPan extends DragPan {
  override handleDownEvent(event: MapBrowserEvent<PointerEvent>): boolean {
    settleZoom(event.map.getView())
    return super.handleDownEvent(event)
  }
}

/**
 * Ends the animation of a view at the next zoom level in its direction. OpenLayers would leave it between two levels, or
 * return to the level from which it comes.
 */
export function settleZoom(view: View): void {
  if (!view.getAnimating()) return
  const { resolution, nextResolution, zoom } = view.getState()
  const direction = Math.sign((nextResolution || resolution) - resolution)
  view.cancelAnimations()
  view.resolveConstraints(0, direction)
  // The animation has not left its level yet.
  if (view.getResolution() === resolution && direction !== 0) view.setZoom(zoom - direction)
}

function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Returns the duration of an animation in milliseconds: 0 for users who prefer reduced motion. */
export function durationOf(milliseconds: number): number {
  return prefersReducedMotion() ? 0 : milliseconds
}
