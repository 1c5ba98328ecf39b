import type Collection from 'ol/Collection'
import { noModifierKeys, platformModifierKey } from 'ol/events/condition'
import DragPan from 'ol/interaction/DragPan'
import { defaults } from 'ol/interaction/defaults'
import type Interaction from 'ol/interaction/Interaction'
import KeyboardPan from 'ol/interaction/KeyboardPan'
import KeyboardZoom from 'ol/interaction/KeyboardZoom'
import Kinetic from 'ol/Kinetic'
import type MapBrowserEvent from 'ol/MapBrowserEvent'

/**
 * Creates the interactions of a map. Wheel, drag and touch move it regardless of the focus, on a page that the user has
 * not clicked yet, too. `isForMap` tells whether arrow keys move the map.
 */
export function createInteractions(
  isForMap: (event: MapBrowserEvent) => boolean = () => true,
): Collection<Interaction> {
  const zoomDuration = durationOf(250)
  const interactions = defaults({ onFocusOnly: false, dragPan: false, keyboard: false, zoomDuration })
  const kinetic = prefersReducedMotion() ? {} : { kinetic: new Kinetic(-0.005, 0.05, 100) }
  const duration = durationOf(100)
  interactions.extend([
    new DragPan(kinetic),
    new KeyboardPan({ duration, condition: (event) => noModifierKeys(event) && isForMap(event) }),
    new KeyboardZoom({ duration, condition: (event) => !platformModifierKey(event) }),
  ])
  return interactions
}

function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Returns the duration of an animation in milliseconds: 0 for users who prefer reduced motion. */
export function durationOf(milliseconds: number): number {
  return prefersReducedMotion() ? 0 : milliseconds
}
