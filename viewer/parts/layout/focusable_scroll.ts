/** Lets a scrolling box take the focus, so that the keyboard can scroll it. */
export const scrollable = { tabIndex: 0 }
