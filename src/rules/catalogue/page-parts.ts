import type { Package } from './line.ts';

/** What front ends put into a page as markup, code or a place to go to. */
export const pageParts: readonly Package[] = [
  {
    package: 'vue-router',
    link: 'https://router.vuejs.org/api/',
    sources: [
      {
        exports:
          'RouteLocation.query RouteLocation.params RouteLocation.hash RouteLocation.fullPath',
        link: 'https://router.vuejs.org/api/interfaces/RouteLocation.html',
      },
      {
        exports:
          'RouteLocationNormalized.query RouteLocationNormalized.params RouteLocationNormalized.hash',
        link: 'https://router.vuejs.org/api/interfaces/RouteLocationNormalized.html',
      },
    ],
  },
  {
    package: '@angular/router',
    link: 'https://angular.dev/api/router/ActivatedRouteSnapshot',
    sources: [
      {
        exports:
          'ActivatedRouteSnapshot.queryParams ActivatedRouteSnapshot.params ActivatedRouteSnapshot.fragment',
      },
      {
        exports:
          'ActivatedRoute.snapshot.queryParams ActivatedRoute.snapshot.params ActivatedRoute.snapshot.fragment',
        link: 'https://angular.dev/api/router/ActivatedRoute',
      },
      {
        exports: 'ActivatedRouteSnapshot.queryParamMap.get() ActivatedRouteSnapshot.paramMap.get()',
        link: 'https://angular.dev/api/router/ParamMap',
      },
    ],
  },
  {
    package: '@angular/core',
    link: 'https://angular.dev/api/core/Renderer2',
    sinks: [
      {
        exports: 'Renderer2.setProperty',
        kind: 'markup',
        args: [2],
        severity: 'high',
        link: 'https://angular.dev/api/core/Renderer2',
      },
    ],
  },
  {
    package: 'react-router-dom',
    link: 'https://reactrouter.com/6.28.0/hooks/use-navigate',
    sinks: [
      {
        exports: 'redirect redirectDocument',
        kind: 'redirect',
        link: 'https://reactrouter.com/6.28.0/fetch/redirect',
      },
    ],
  },
  {
    package: 'jquery',
    link: 'https://api.jquery.com/',
    aliases: '$ jQuery',
    sinks: [
      {
        exports: 'get post getJSON ajax',
        kind: 'request',
        args: [0],
        severity: 'medium',
        link: 'https://api.jquery.com/jQuery.get/',
      },
      {
        exports: 'ajax',
        kind: 'module',
        args: [],
        options: 'url',
        when: 'crossDomain',
        severity: 'high',
        link: 'https://api.jquery.com/jQuery.ajax/',
      },
    ],
  },
  {
    package: 'video.js',
    link: 'https://docs.videojs.com/',
    sinks: [{ exports: '*.src', kind: 'link', link: 'https://docs.videojs.com/player#src' }],
  },
  {
    package: 'datatables.net',
    link: 'https://datatables.net/reference/api/',
    sinks: [
      {
        exports: '*.html',
        kind: 'markup',
        link: 'https://datatables.net/reference/api/cell().node()',
      },
    ],
  },
  {
    package: 'intro.js',
    link: 'https://introjs.com/docs',
    sinks: [
      {
        exports: '*.setOptions',
        kind: 'markup',
        args: [],
        options: 'tooltipHtml intro helperText',
        link: 'https://introjs.com/docs/intro/options',
      },
    ],
  },
];
