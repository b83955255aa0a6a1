#!/usr/bin/env node
/** The program's entry. */
