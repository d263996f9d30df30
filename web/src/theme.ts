// Colours. The series are those of Okabe and Ito (2008), told apart also by people who are
// colour-blind, with others in place of those that the background would swallow.

export type ThemeName = 'light' | 'dark';

export interface Theme {
  name: ThemeName;
  background: string;
  surface: string;
  text: string;
  muted: string;
  grid: string;
  accent: string;
  error: string;
  series: string[];
  /** Contacts by their state: open, closed, sticking, sliding. */
  touches: [string, string, string, string];
  forces: { applied: string; ideal: string; nonideal: string; reaction: string; other: string };
}

const forces = { applied: '#e69f00', ideal: '#0072b2', nonideal: '#d55e00', reaction: '#56b4e9', other: '#cc79a7' };

export const light: Theme = {
  name: 'light',
  background: '#f6f7f9',
  surface: '#ffffff',
  text: '#16202c',
  muted: '#5b6775',
  grid: '#dde2e8',
  accent: '#0072b2',
  error: '#b3261e',
  series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#9900ee', '#3a9bd9', '#4d4d4d'],
  touches: ['#5b6775', '#0072b2', '#007a5a', '#c04a00'],
  forces,
};

export const dark: Theme = {
  name: 'dark',
  background: '#10151c',
  surface: '#18202a',
  text: '#e8edf3',
  muted: '#97a4b3',
  grid: '#2b3643',
  accent: '#56b4e9',
  error: '#ff8a80',
  series: ['#56b4e9', '#e69f00', '#2bbf95', '#cc79a7', '#f0e442', '#ff7f50', '#d9d9d9'],
  touches: ['#97a4b3', '#56b4e9', '#2bbf95', '#ff8c4a'],
  forces: { ...forces, ideal: '#4aa8ff' },
};
