import type { Package } from '../line.ts';

const JDK = 'https://docs.oracle.com/en/java/javase/21/docs/api';
const XML =
  'https://docs.oracle.com/en/java/javase/21/security/java-api-xml-processing-jaxp-security-guide.html';

/** What makes objects of classes that the text names, resolves entities, or runs what it reads. */
export const javaReaders: readonly Package[] = [
  {
    package: 'java.io',
    link: `${JDK}/java.base/java/io/ObjectInputStream.html`,
    receivers: 'objectInputStream ois',
    sinks: [
      {
        exports: 'ObjectInputStream.readObject ObjectInputStream.readUnshared',
        kind: 'deserialise',
        args: [-1],
      },
    ],
    propagators: [
      // A filter says which classes it may read.
      { exports: 'ObjectInputStream.setObjectInputFilter', from: [-1], into: -1 },
    ],
  },
  {
    package: 'java.beans',
    link: `${JDK}/java.desktop/java/beans/XMLDecoder.html`,
    receivers: 'xmlDecoder',
    sinks: [{ exports: 'XMLDecoder.readObject', kind: 'deserialise', args: [-1] }],
  },
  {
    package: 'org.apache.commons.lang3',
    link: 'https://commons.apache.org/proper/commons-lang/',
    sinks: [{ exports: 'SerializationUtils.deserialize', kind: 'deserialise' }],
  },
  {
    package: 'org.springframework.util',
    link: 'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/util/SerializationUtils.html',
    sinks: [{ exports: 'SerializationUtils.deserialize', kind: 'deserialise' }],
  },
  {
    package: 'com.thoughtworks.xstream',
    link: 'https://x-stream.github.io/security.html',
    receivers: 'xstream xStream',
    sinks: [
      { exports: 'XStream.fromXML XStream.unmarshal', kind: 'deserialise', severity: 'high' },
    ],
    propagators: [
      {
        exports:
          'XStream.allowTypes XStream.allowTypesByWildcard XStream.allowTypeHierarchy ' +
          'XStream.allowTypesByRegExp',
        from: [-1],
        into: -1,
      },
    ],
  },
  {
    package: 'org.yaml.snakeyaml',
    link: 'https://bitbucket.org/snakeyaml/snakeyaml/wiki/Documentation',
    receivers: 'yaml',
    sinks: [{ exports: 'Yaml.load Yaml.loadAll', kind: 'deserialise', severity: 'high' }],
  },
  {
    package: 'org.yaml.snakeyaml.constructor',
    types: 'SafeConstructor',
    link: 'https://bitbucket.org/snakeyaml/snakeyaml/wiki/Documentation',
  },
  {
    package: 'com.esotericsoftware.yamlbeans',
    link: 'https://github.com/EsotericSoftware/yamlbeans',
    sinks: [{ exports: 'YamlReader', kind: 'deserialise', severity: 'high' }],
  },
  {
    package: 'com.fasterxml.jackson.databind',
    link: 'https://github.com/FasterXML/jackson-docs/wiki/JacksonPolymorphicDeserialization',
    sinks: [
      {
        exports:
          'ObjectMapper.enableDefaultTyping.readValue ObjectMapper.enableDefaultTyping.readTree ' +
          'ObjectMapper.activateDefaultTyping.readValue ObjectMapper.enableDefaultTyping.convertValue',
        kind: 'deserialise',
      },
    ],
    propagators: [
      {
        exports: 'ObjectMapper.enableDefaultTyping ObjectMapper.activateDefaultTyping',
        from: [-1],
        into: -1,
      },
    ],
  },
  {
    package: 'com.alibaba.fastjson',
    link: 'https://github.com/alibaba/fastjson/wiki/security_update_20220523',
    sinks: [
      {
        exports: 'JSON.parse JSON.parseObject JSONObject.parse JSONObject.parseObject',
        kind: 'deserialise',
        when: 'SupportAutoType',
      },
      { exports: 'JSON.parse JSONObject.parse', kind: 'objects', severity: 'medium' },
    ],
  },
  {
    package: 'com.alibaba.fastjson2',
    link: 'https://github.com/alibaba/fastjson2/wiki/fastjson2_autotype_cn',
    sinks: [
      { exports: 'JSON.parse JSON.parseObject', kind: 'deserialise', when: 'SupportAutoType' },
    ],
  },
  {
    package: 'com.caucho.hessian.io',
    link: 'https://central.sonatype.com/artifact/com.caucho/hessian',
    receivers: 'hessianInput',
    sinks: [
      {
        exports: 'HessianInput.readObject Hessian2Input.readObject',
        kind: 'deserialise',
        args: [-1],
      },
    ],
  },
  {
    package: 'com.esotericsoftware.kryo',
    link: 'https://github.com/EsotericSoftware/kryo',
    receivers: 'kryo',
    sinks: [{ exports: 'Kryo.readClassAndObject Kryo.readObject', kind: 'objects' }],
  },
  {
    package: 'javax.naming',
    link: `${JDK}/java.naming/javax/naming/Context.html`,
    receivers: 'initialContext jndiContext namingContext',
    sinks: [
      {
        exports: 'InitialContext.lookup Context.lookup InitialContext.doLookup',
        kind: 'deserialise',
      },
    ],
  },
  {
    package: 'org.springframework.jndi',
    link: 'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/jndi/JndiTemplate.html',
    receivers: 'jndiTemplate',
    sinks: [{ exports: 'JndiTemplate.lookup', kind: 'deserialise' }],
  },
  {
    package: 'javax.xml.parsers',
    link: XML,
    sinks: [
      {
        exports:
          'DocumentBuilderFactory.newInstance.newDocumentBuilder.parse ' +
          'DocumentBuilderFactory.newDocumentBuilder.parse',
        kind: 'entities',
      },
      {
        exports:
          'SAXParserFactory.newInstance.newSAXParser.parse SAXParserFactory.newSAXParser.parse',
        kind: 'entities',
      },
    ],
    propagators: [
      {
        exports:
          'DocumentBuilderFactory.setFeature DocumentBuilderFactory.newInstance.setFeature ' +
          'SAXParserFactory.setFeature SAXParserFactory.newInstance.setFeature ' +
          'DocumentBuilderFactory.setExpandEntityReferences',
        from: [-1],
        into: -1,
      },
    ],
  },
  {
    package: 'javax.xml.stream',
    link: XML,
    sinks: [
      {
        exports:
          'XMLInputFactory.newInstance.createXMLStreamReader XMLInputFactory.createXMLStreamReader ' +
          'XMLInputFactory.newInstance.createXMLEventReader XMLInputFactory.newFactory.createXMLStreamReader',
        kind: 'entities',
      },
    ],
    propagators: [
      {
        exports:
          'XMLInputFactory.setProperty XMLInputFactory.newInstance.setProperty ' +
          'XMLInputFactory.newFactory.setProperty',
        from: [-1],
        into: -1,
      },
    ],
  },
  {
    package: 'org.dom4j.io',
    link: 'https://dom4j.github.io/',
    sinks: [{ exports: 'SAXReader.read', kind: 'entities' }],
    propagators: [{ exports: 'SAXReader.setFeature', from: [-1], into: -1 }],
  },
  {
    package: 'org.jdom2.input',
    link: 'https://central.sonatype.com/artifact/org.jdom/jdom2',
    sinks: [{ exports: 'SAXBuilder.build', kind: 'entities' }],
    propagators: [
      { exports: 'SAXBuilder.setFeature SAXBuilder.setExpandEntities', from: [-1], into: -1 },
    ],
  },
  {
    package: 'javax.xml.xpath',
    types: 'XPath XPathFactory',
    link: `${JDK}/java.xml/javax/xml/xpath/XPath.html`,
    receivers: 'xpath',
    sinks: [{ exports: '*.evaluate *.compile *.evaluateExpression', kind: 'xpath' }],
  },
];
