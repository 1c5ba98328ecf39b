// Filters the tree of a plan by words and marks. Without this script, all changes are shown.
const form = document.querySelector('form.filter')
const search = document.querySelector('#search')
const boxes = [...document.querySelectorAll('input[name=mark]')]
const places = [...document.querySelectorAll('.tree li')]

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = new Set(boxes.filter((box) => box.checked).map((box) => box.value))
  const open = new Set()
  let total = 0
  let found = 0
  // Places below come first, which keep the places above them.
  for (const place of places.toReversed()) {
    const { mark, words: text } = place.dataset
    const isHit = mark !== undefined && shown.has(mark) && words.every((word) => text.includes(word))
    total += mark === undefined ? 0 : 1
    found += isHit ? 1 : 0
    const isOpen = isHit || open.has(place)
    const above = place.parentElement.closest('li')
    if (isOpen && above !== null) open.add(above)
    place.hidden = !isOpen
    place.classList.toggle('context', isOpen && !isHit)
  }
  const noun = total === 1 ? 'change' : 'changes'
  form.querySelector('output').textContent = `${found} of ${total} ${noun}`
}

if (form !== null) {
  form.hidden = false
  form.addEventListener('input', filter)
  form.addEventListener('submit', (event) => event.preventDefault())
  filter()
}
